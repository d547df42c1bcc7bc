"""Reports as HTML pages, from templates with a common frame (`templates/base.html`)."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from fogbound.core.errors import FogboundError

if TYPE_CHECKING:
    from jinja2 import Environment


def render(package: str, template: str, **values: Any) -> str:
    """A page from a template of a package."""
    return _environment(package).get_template(template).render(**values)


@cache
def _environment(package: str) -> Environment:
    """Templates of a package, and behind them those that all reports share."""
    try:
        from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
    except ModuleNotFoundError:
        raise FogboundError("Reports need Jinja2, which is not installed: pip install 'fogbound[lab]'.") from None
    loader = ChoiceLoader([PackageLoader(package), PackageLoader("fogbound.lab")])
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.filters |= {"percent": percent, "number": number, "json": to_json}
    return made


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def number(value: float) -> str:
    """A number with as many digits as tell something."""
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.1f}" if abs(value) >= 10 else f"{value:.2g}" if abs(value) < 0.1 else f"{value:.2f}"


def to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
