"""Effects that the host delivers, each once. They commit with the step's outcome."""

from __future__ import annotations

from onceward_guest import wit
from onceward_guest.failure import HostError
from onceward_guest.host import host
from onceward_guest.journal import note
from onceward_guest.jsons import write
from onceward_guest.wit import Approval


class EnqueueError(HostError):
    """A row did not get into the outbox. ``unwritable``: the payload is no JSON."""

    PROBLEMS = {
        "not-granted": (
            "review",
            "it is not granted ({reason}); name it in the contract and in the operator's grants",
        ),
        # Two contents claim to be the same effect: a person looks at both.
        "conflict": (
            "review",
            "row {reason} has another payload, which stands; use another slot for another effect",
        ),
        "invalid-row": ("reject", "the row is at fault ({reason}); correct the step"),
        "limit": ("reject", "a limit was reached ({reason}); enqueue less, or raise it"),
        "unwritable": ("reject", "the payload is no JSON ({reason}); correct the step"),
    }

    def __init__(self, kind: str, destination: str, slot: str, reason: str) -> None:
        super().__init__(kind, f"enqueuing `{slot}` to `{destination}`", reason)
        self.destination = destination
        self.slot = slot


def enqueue(
    *,
    destination: str,
    slot: str,
    payload: object,
    effect_version: int = 1,
    ordering_key: str | None = None,
    approval: Approval | None = None,
    receipt_step: str | None = None,
    receipt_step_is_optional: bool = False,
) -> str:
    """Put an effect into the outbox; the row's id (64 hexadecimal digits). The same row twice is one row.

    ``slot`` names the effect within the handoff; it is never made from generated text. ``effect_version`` is raised only when the effect
    shall happen again. Rows of one destination with the same ``ordering_key`` leave in order. With an ``approval`` the row is held until a
    person approves exactly this payload. ``receipt_step`` goes on from the destination's receipt; where the host has none and it is
    optional, a note is written and the row goes without it.
    """
    try:
        body = write(payload)
    except (TypeError, ValueError) as error:
        raise EnqueueError("unwritable", destination, slot, str(error)) from None
    try:
        return _once(wit.Row(destination, slot, effect_version, body, ordering_key, approval, receipt_step))
    except EnqueueError as error:
        if not (receipt_step_is_optional and receipt_step and error.kind == "invalid-row"):
            raise
        # The host's words say whether the step is what was wrong; if it was something else, it is said again.
        note(f"enqueuing without the receipt step `{receipt_step}`: {error.reason}")
    return _once(wit.Row(destination, slot, effect_version, body, ordering_key, approval, None))


def _once(row: wit.Row) -> str:
    try:
        return host("enqueuing a row").enqueue(row)
    except wit.Refused as error:
        raise EnqueueError(error.kind, row.destination, row.slot, error.reason) from None
