"""Items of a batch, each done once by whichever run gets it first."""

from __future__ import annotations

from typing import Callable, Iterable, TypeVar

from onceward_guest import wit
from onceward_guest.failure import HostError
from onceward_guest.host import host
from onceward_guest.wit import ItemVerdict

Called = TypeVar("Called")


class LedgerError(HostError):
    """An item could not be claimed, recorded or released."""

    PROBLEMS = {
        # Another run may hold the item for now, and a new run claims afresh; the attempt budget bounds it.
        "not-claimed": ("retry", "this run does not hold it ({reason}); claim it first"),
        "invalid-key": ("reject", "its key is at fault ({reason}); correct the step"),
        "limit": ("reject", "a limit was reached ({reason}); work in smaller chunks"),
    }


def claim(items: Iterable[str]) -> list[ItemVerdict]:
    """Claim items by key; a verdict for each, in order. A key twice in the list is acquired once."""
    keys = list(items)
    return _called(lambda host: host.claim(keys))


def record_effect(item: str, external_reference: str | None = None) -> None:
    """The effect for an item has been collected. With the step's outcome the item is done for ever."""
    _called(lambda host: host.record_effect(item, external_reference))


def release(item: str) -> None:
    """Give an item back without an effect."""
    _called(lambda host: host.release(item))


def _called(call: Callable[[wit.Host], Called]) -> Called:
    try:
        return call(host("using an item of a batch"))
    except wit.Refused as error:
        raise LedgerError(error.kind, "using an item of a batch", error.reason) from None
