"""Which host is called: the real one inside a component, that of a test elsewhere."""

from __future__ import annotations

from onceward_guest.wit import Host

_current: Host | None = None


def install(host: Host | None) -> None:
    """Have the functions of this package call that host."""
    global _current
    _current = host


def host(doing: str) -> Host:
    """The host. ``doing`` is what was attempted, for whoever calls it where there is none."""
    if _current is None:
        raise RuntimeError(
            f"{doing}: there is no work here, only inside of a step; in a test run the step with onceward_guest.testing.Host"
        )
    return _current


def is_there() -> bool:
    """Whether a work is handled."""
    return _current is not None
