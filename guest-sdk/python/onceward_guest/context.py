"""Time, numbers and ids that are the same on every attempt of a work. ``time``, ``datetime`` and ``random`` come from here as well."""

from __future__ import annotations

from onceward_guest.host import host


def occurred_at_ms() -> int:
    """The event's original time, in Unix milliseconds. It is the same on every attempt and replay."""
    return host("asking for the event's time").occurred_at()


def seed(label: str) -> int:
    """A number of 64 bits from the work's identity and the label. It repeats exactly on a retry."""
    return host("asking for a seed").seed(label)


def derive_id(label: str) -> str:
    """A UUID (RFC 9562, version 8) from the work's identity and the label. It repeats exactly on a retry."""
    return host("deriving an id").derive_id(label)
