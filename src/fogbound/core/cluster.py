"""Ray clusters: joining the one at an address, or starting one on this machine."""

from __future__ import annotations

from typing import Any

from fogbound.core.errors import FogboundError


def ray_module() -> Any:
    try:
        import ray
    except ModuleNotFoundError:
        raise FogboundError(
            "The engine “ray” needs Ray, which is not installed: pip install 'fogbound[ray]'. "
            "The engine “local” needs nothing more."
        ) from None
    return ray


def join(ray: Any, workers: int | None, address: str | None) -> bool:
    """Join a cluster; whether that was not done before."""
    if ray.is_initialized():
        return False
    settings = {"address": address} if address else {"num_cpus": workers, "include_dashboard": False}
    try:
        ray.init(log_to_driver=False, logging_level="ERROR", **settings)
    except (ConnectionError, ValueError, RuntimeError) as error:
        where = f"at “{address}”" if address else "on this machine"
        raise FogboundError(f"Cannot reach a Ray cluster {where}: {str(error).splitlines()[0]}") from None
    return True


def cores(ray: Any) -> int:
    """Cores of the cluster now: nodes may come and go."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))
