"""Where our own messages may go: to addresses of the open internet, and to private ones only where the settings name them.

A name is looked up once, all that it stands for is judged, and exactly what was judged is connected to, so that a name that means something else a moment later
leads nowhere else. The certificate is still asked for the name. No redirect is followed, so that an endpoint cannot point us elsewhere.
"""

import ipaddress
import socket
from collections.abc import Sequence

import httpx

from dunr.certificates import trusted

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address

LOOPBACK = ("127.0.0.0/8", "::1/128")
# Where clouds hand out credentials, beside what is link-local anyway; and what carries an IPv4 address inside.
METADATA = tuple(ipaddress.ip_network(one) for one in ("fd00:ec2::254/128", "100.100.100.200/32", "168.63.129.16/32"))
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


class NotAllowed(httpx.ConnectError):
    """An address that nothing of ours may go to. Tells the name, never what it stands for."""


def networks_of(named: Sequence[str]) -> tuple[Network, ...]:
    """Addresses and networks as the settings name them. Raises `ValueError`."""
    return tuple(ipaddress.ip_network(one, strict=False) for one in named)


def is_open(address: Address, allowed: Sequence[Network]) -> bool:
    """Whether an address may be connected to."""
    plain = _inner(address)
    if any(plain in network for network in allowed if network.version == plain.version):
        return True
    metadata = any(plain in network for network in METADATA if network.version == plain.version)
    return plain.is_global and not plain.is_multicast and not metadata


def _inner(address: Address) -> Address:
    """The IPv4 address that an IPv6 one leads to, where it does."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address in NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address


class GuardedTransport(httpx.BaseTransport):
    """Connects to what it has judged, and to nothing else; threads may share it."""

    def __init__(self, allowed: Sequence[Network]) -> None:
        """`allowed`: private networks that may be reached."""
        self._allowed = tuple(allowed)
        self._inner = httpx.HTTPTransport(verify=trusted())

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request to an address that its name stands for now."""
        name = request.url.host
        addresses = _looked_up(name, request.url.port or (443 if request.url.scheme == "https" else 80))
        if not all(is_open(address, self._allowed) for address in addresses):
            raise NotAllowed(f"{name} is an address that dunr does not send to; see outbound_allowed", request=request)
        extensions = {**request.extensions, "sni_hostname": name}
        failed: httpx.TransportError | None = None
        for address in addresses:
            url = request.url.copy_with(host=str(address))
            try:
                # The headers were made for the name, and `Host` stays so.
                return self._inner.handle_request(
                    httpx.Request(
                        request.method, url, headers=request.headers, stream=request.stream, extensions=extensions
                    )
                )
            except (
                httpx.ConnectError,
                httpx.ConnectTimeout,
            ) as error:  # nothing was sent, so the next address may be tried
                failed = error
        assert failed is not None, "a name that stands for nothing was refused before"
        raise failed

    def close(self) -> None:
        """Let go of the connections."""
        self._inner.close()


def guarded_client(allowed: Sequence[str]) -> httpx.Client:
    """A client that goes only where it may, whatever the environment says about proxies."""
    return httpx.Client(transport=GuardedTransport(networks_of(allowed)), trust_env=False, follow_redirects=False)


def _looked_up(name: str, port: int) -> list[Address]:
    """Every address that a name stands for. Raises `httpx.ConnectError`."""
    try:
        found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise httpx.ConnectError(f"{name} cannot be looked up") from error
    addresses = dict.fromkeys(ipaddress.ip_address(str(one[4][0]).partition("%")[0]) for one in found)
    if not addresses:
        raise httpx.ConnectError(f"{name} stands for no address")
    return list(addresses)
