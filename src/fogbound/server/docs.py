"""The requests of the API on a page to read: plain HTML, since this origin keeps the secrets of seats."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any


def docs_page(api: Mapping[str, Any]) -> str:
    """A page from the OpenAPI description."""
    rows = [
        f"<dt><b>{escape(method.upper())}</b> <code>{escape(path)}{escape(_given(asked))}</code></dt>"
        f"<dd>{escape(asked.get('description') or asked.get('summary') or '')}</dd>"
        for path, methods in api["paths"].items()
        for method, asked in methods.items()
    ]
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Fogbound: requests</title><h1>Requests</h1>'
        '<p>For programs the same as <a href="/api/openapi.json">OpenAPI</a>.</p>'
        f"<dl>{''.join(rows)}</dl></html>"
    )


def _given(asked: Mapping[str, Any]) -> str:
    names = [given["name"] for given in asked.get("parameters", ()) if given["in"] == "query"]
    return "?" + "&".join(f"{name}=" for name in names) if names else ""
