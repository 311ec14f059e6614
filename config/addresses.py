"""Which addresses of the net the service may connect to when somebody else chose the name."""

from __future__ import annotations

import ipaddress

#: Global unicast. Everything outside it embeds an IPv4 address, or is local, multicast or not assigned.
GLOBAL_IPV6 = ipaddress.ip_network("2000::/3")

#: Inside the global ranges, yet somebody's tunnel, relay or example. Python counts some of them as global.
NOT_PUBLIC = [
    ipaddress.ip_network(network)
    for network in (
        "192.88.99.0/24",  # 6to4 relay anycast
        "2001::/23",  # IETF protocols: Teredo, ORCHID, benchmarking
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4: an IPv4 address inside
        "3fff::/20",  # documentation
    )
]


def is_public(address: str) -> bool:
    """Whether an IP address is one host of the public internet, not of our own networks or one in between."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    if ip.version == 6 and ip not in GLOBAL_IPV6:
        return False
    if any(ip.version == network.version and ip in network for network in NOT_PUBLIC):
        return False
    return ip.is_global and not ip.is_multicast and not ip.is_reserved
