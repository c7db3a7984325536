"""What a step is given that goes on from a destination's receipt."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Receipt:
    """The payload of a step that a row named as its ``receipt_step``."""

    #: The row that was accepted: 64 hexadecimal digits.
    row: str
    #: The destination that accepted it.
    destination: str
    #: The row's slot.
    slot: str
    #: The id the third party gave, where its answer held one or a person said it.
    reference: str | None
    #: The destination's answer: its JSON, else its text; null where a person said that the row was applied.
    receipt: object
    #: The payload that was sent.
    sent: object
