"""Where our own messages may go: a name is judged by what it stands for, and exactly that is connected to."""

import ipaddress
import socket
from typing import Any

import httpx
import pytest

from dunr.outbound import LOOPBACK, NotAllowed, guarded_client, is_open, networks_of
from tests.adapters.publishers.test_webhook import Receiver, receiving


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.9.9.9", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"),
        *("0.0.0.0", "255.255.255.255", "224.0.0.1", "192.0.2.1", "100.100.100.200", "168.63.129.16"),
        *("::1", "::", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1", "2001:db8::1"),
        *("::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "2002:7f00:1::", "2002:a9fe:a9fe::"),
    ],
)
def test_what_is_not_of_the_open_internet_is_closed(address: str) -> None:
    assert not is_open(ipaddress.ip_address(address), ())


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "64:ff9b::5db8:d822"])
def test_the_open_internet_is_open(address: str) -> None:
    assert is_open(ipaddress.ip_address(address), ())


def test_what_the_settings_name_is_open_and_its_neighbours_are_not() -> None:
    allowed = networks_of(["10.1.0.0/16", "::1"])
    assert is_open(ipaddress.ip_address("10.1.2.3"), allowed)
    assert is_open(ipaddress.ip_address("::ffff:10.1.2.3"), allowed)
    assert is_open(ipaddress.ip_address("::1"), allowed)
    assert not is_open(ipaddress.ip_address("10.2.0.1"), allowed)


def test_a_message_arrives_under_its_name_where_that_is_allowed() -> None:
    with receiving(Receiver()) as receiver, guarded_client(LOOPBACK) as client:
        url = receiver.url.replace("127.0.0.1", "localhost")
        assert client.post(url, content=b"{}").status_code == 204
        [(_, headers, _)] = receiver.requests
        assert headers["Host"].startswith("localhost:")


def test_a_closed_address_is_refused_before_anything_is_sent_to_it() -> None:
    with receiving(Receiver()) as receiver, guarded_client(()) as client:
        with pytest.raises(NotAllowed, match="outbound_allowed"):
            client.post(receiver.url, content=b"{}")
        assert receiver.requests == []


def answer_with(*addresses: str) -> Any:  # noqa: ANN401 - stands in for the resolver
    def getaddrinfo(name: str, port: int, **_: object) -> list[tuple[object, ...]]:
        del name
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    return getaddrinfo


def test_a_name_that_stands_for_an_open_and_a_closed_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dunr.outbound.socket.getaddrinfo", answer_with("93.184.216.34", "127.0.0.1"))
    with guarded_client(()) as client, pytest.raises(NotAllowed):
        client.post("http://hooks.example.com/x", content=b"{}")


def test_a_name_is_looked_up_once_so_that_it_cannot_change_its_mind(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first answer is allowed; whoever asked again would be led to a closed address."""
    with receiving(Receiver()) as receiver, guarded_client(["127.0.0.1"]) as client:
        asked: list[str] = []

        def getaddrinfo(name: object, port: int, *_: object, **__: object) -> list[tuple[object, ...]]:
            # The connection itself asks for the address that was judged, which stands for itself.
            asked.append(str(name))
            stands_for = "127.0.0.1" if len(asked) == 1 or name in ("127.0.0.1", b"127.0.0.1") else "127.0.0.2"
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (stands_for, port))]

        monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
        url = receiver.url.replace("127.0.0.1", "rebound.example.com")
        assert client.post(url, content=b"{}").status_code == 204
        assert asked.count("rebound.example.com") == 1


def test_a_redirect_is_no_way_around() -> None:
    with receiving(Receiver(status=307)) as receiver, guarded_client(LOOPBACK) as client:
        assert client.post(receiver.url, content=b"{}").status_code == 307
        assert len(receiver.requests) == 1


def test_a_name_that_nobody_knows_is_said_to_be_so() -> None:
    with guarded_client(LOOPBACK) as client, pytest.raises(httpx.ConnectError, match="looked up"):
        client.post("http://nobody.invalid/", content=b"{}")
