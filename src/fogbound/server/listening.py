"""How the server listens: uvicorn, but patient only so long with whoever connects and says nothing, or speaks slowly."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from fogbound.core.errors import FogboundError
from fogbound.server.limits import CONNECTIONS, HEAD_BYTES, HEAD_SECONDS, SEND_SECONDS, visitor

Network = IPv4Network | IPv6Network


def settings(proxies: Sequence[str] = (), share: int = 200) -> dict[str, Any]:
    """Arguments for `uvicorn.Config`: whom a visitor comes through is believed of these addresses (or networks) alone."""
    networks = [_network(proxy) for proxy in proxies]

    class Listening(Impatient):
        exempt, most, open = networks, share, Counter[str]()

    return {
        "http": Listening,
        "proxy_headers": bool(proxies),
        "forwarded_allow_ips": list(proxies),
        "ws_max_size": 65_536,
        "timeout_keep_alive": 10,
        "limit_concurrency": 4 * CONNECTIONS,
        "server_header": False,
        "log_level": "warning",
    }


class Impatient(HttpToolsProtocol):
    """A connection whose requests must have begun, and their heads ended, within some seconds; and so many an address."""

    exempt: Sequence[Network]
    """Proxies: many visitors come from there."""
    most: int
    open: Counter[str]

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._head_bytes, self._begun_now = 0, False
        self._timer: asyncio.TimerHandle | None = None
        self._address = visitor(self.client[0] if self.client else "")
        self.open[self._address] += 1
        self._wait_for_head()
        if self.open[self._address] > self.most and not any(_is_in(self.client, each) for each in self.exempt):
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_came()
        self._leave()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self) -> None:
        self._leave()  # sockets are counted at the door
        super().handle_websocket_upgrade()

    def _leave(self) -> None:
        self.open[self._address] -= 1
        if self.open[self._address] <= 0:
            del self.open[self._address]
        self._address = ""

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._timer is not None:
            self._head_bytes += 0 if self._begun_now else len(data)
        self._begun_now = False
        if self._head_bytes > HEAD_BYTES and not self.transport.is_closing():
            self.send_400_response("The head of the request is too long.")

    def on_message_begin(self) -> None:
        self._begun_now = True  # what came with it may be the body of the request before
        self._wait_for_head()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._head_came()
        super().on_headers_complete()

    def _wait_for_head(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _head_came(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._head_bytes = None, 0

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch_reading(None)

    def _watch_reading(self, before: int | None) -> None:
        """Let go who takes nothing of what is ready for him."""
        left = self.transport.get_write_buffer_size()
        if left and left == before:
            self.transport.abort()
        elif left:
            self.loop.call_later(SEND_SECONDS, self._watch_reading, left)


def _network(proxy: str) -> Network:
    try:
        return ip_network(proxy, strict=False)
    except ValueError:
        raise FogboundError(f"“{proxy}” is no proxy's address: write it as 10.0.0.2, or a network as 10.0.0.0/24.") from None


def _is_in(client: tuple[str, int] | None, network: Network) -> bool:
    try:
        return client is not None and ip_address(client[0]) in network
    except ValueError:  # a socket file has no address
        return False
