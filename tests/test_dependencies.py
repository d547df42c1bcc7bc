"""What the checks run with is written down: `constraints.txt` names every package, in the version that is installed."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

CONSTRAINTS = Path(__file__).parent.parent / "constraints.txt"


def pinned() -> dict[str, str]:
    lines = [line for line in CONSTRAINTS.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return {canonicalize_name(name): version for name, _, version in (line.partition("==") for line in lines)}


def installed(name: str, extras: frozenset[str], found: dict[str, str]) -> None:
    """Add what a package needs to `found`, and what that needs, and so on."""
    for text in distribution(name).requires or []:
        need = Requirement(text)
        if need.marker and not any(need.marker.evaluate({"extra": extra}) for extra in extras or {""}):
            continue
        key = canonicalize_name(need.name)
        if key == "fogbound":
            installed("fogbound", frozenset(need.extras), found)
        elif key not in found or need.extras:
            try:
                found[key] = distribution(key).version.partition("+")[0]
            except PackageNotFoundError:  # optional on this system
                continue
            installed(key, frozenset(need.extras), found)


def test_every_package_that_the_checks_use_is_pinned() -> None:
    found: dict[str, str] = {}
    installed("fogbound", frozenset({"dev"}), found)
    assert {"numba", "fastapi", "torch", "pytest"} <= set(found)
    assert {name: pinned().get(name) for name in found} == found


def test_numba_has_an_upper_bound() -> None:
    needs = [Requirement(text) for text in distribution("fogbound").requires or []]
    numba = next(need for need in needs if need.name == "numba")
    assert "<" in str(numba.specifier)
