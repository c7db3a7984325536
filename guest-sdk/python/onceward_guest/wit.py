"""The host's interfaces as a step in Python sees them: the contract between a step and its host, in one place.

The source is ``wit/since_v0.1.0/*.wit``, which says what each of them means. ``component`` fits them to what
componentize-py makes of the WIT, and ``testing`` is a host for plain tests.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Protocol

Origin = Literal["asked", "cached", "pinned"]
Verdict = Literal["acquired", "done", "in-progress"]


class Refused(Exception):
    """A variant of one of the host's errors: the case's name as the WIT has it, and its words."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(kind, reason)
        self.kind = kind
        self.reason = reason


@dataclass(frozen=True)
class Question:
    slot: str
    model: str
    prompt_version: str
    prompt: str
    temperature: float
    input: str
    output_schema: str | None


@dataclass(frozen=True)
class Answered:
    answer: str
    origin: Origin


@dataclass(frozen=True)
class Approval:
    """What a person is asked to approve: why, and for how many seconds."""

    reason: str
    expires_after: int | None = None


@dataclass(frozen=True)
class Row:
    destination: str
    slot: str
    effect_version: int
    payload: str
    ordering_key: str | None
    approval: Approval | None
    receipt_step: str | None


@dataclass(frozen=True)
class ItemVerdict:
    """What a claim of an item says: this run holds it now, it has been done, or another run holds it."""

    state: Verdict
    external_reference: str | None = None


@dataclass(frozen=True)
class RawWork:
    id: str
    key: str
    namespace: str
    attempt: int
    source: str
    event_id: str | None
    payload: str


@dataclass(frozen=True)
class Identity:
    kind: Literal["event-key", "business-key", "content"]
    fields: tuple[str, ...] = ()


@dataclass(frozen=True)
class Window:
    kind: Literal["for-ever", "duration", "until-marker"]
    seconds: int = 0
    marker: str = ""


@dataclass(frozen=True)
class Declaration:
    """What a step declares. ``identity``, ``window`` and ``response`` have no defaults."""

    name: str
    version: int
    identity: Identity
    window: Window
    response: Literal["original", "acknowledgement", "error"]
    volatile: list[str] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)
    times: list[str] = field(default_factory=list)
    trimmed: list[str] = field(default_factory=list)
    content_fields: list[str] | None = None
    read_only: bool = False
    destinations: list[str] = field(default_factory=list)
    keyed_destinations: list[str] = field(default_factory=list)
    models: list[str] = field(default_factory=list)


class Host(Protocol):
    """What the host does for a step. Errors are raised as :class:`Refused`."""

    def occurred_at(self) -> int: ...
    def seed(self, label: str) -> int: ...
    def derive_id(self, label: str) -> str: ...
    def note(self, text: str) -> None: ...
    def recall(self, slot: str) -> Answered | None: ...
    def cache(self, slot: str, answer: str) -> Answered: ...
    def decide(self, question: Question) -> Answered: ...
    def enqueue(self, row: Row) -> str: ...
    def claim(self, items: list[str]) -> list[ItemVerdict]: ...
    def record_effect(self, item: str, external_reference: str | None) -> None: ...
    def release(self, item: str) -> None: ...
    def advance(self, stage: str) -> None: ...
    def load_cursor(self) -> str | None: ...
