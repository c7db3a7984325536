"""Answers that are decided once. The first recorded answer for a (work, slot) is the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Generic, TypeVar

from onceward_guest import wit
from onceward_guest.failure import HostError
from onceward_guest.host import host
from onceward_guest.jsons import Misfit, read, write

Answer = TypeVar("Answer")
Called = TypeVar("Called")


@dataclass(frozen=True)
class Decision(Generic[Answer]):
    """A recorded answer, and where it came from.

    A step that branches on the origin is no longer the same on a retry; it is for notes.
    """

    answer: Answer
    origin: wit.Origin


class DecisionError(HostError):
    """There is no answer that the step can use.

    ``unwritable``: what the step gave is no JSON. ``misfit``: the recorded answer passed the JSON Schema and is of another type.
    """

    PROBLEMS = {
        # A missing grant is the operator's to mend, and the work must still be there afterwards.
        "not-granted": (
            "review",
            "the model is not granted ({reason}); name it in the contract and in the operator's grants",
        ),
        # A model that fails now may answer later, and the attempt budget bounds the waiting.
        "model-failed": ("retry", "the model failed ({reason}); try later, or go on without an answer"),
        # Asking again may well give the same nonsense for more money.
        "invalid-answer": ("review", "the answer does not fit the schema ({reason}); look at the prompt"),
        # The step would ask the same at every attempt.
        "invalid-question": ("reject", "the question is at fault ({reason}); correct the step"),
        "limit": ("reject", "a limit was reached ({reason}); ask for less, or raise it"),
        "rejected": ("review", "{reason}; go on without it, or have the decision renewed"),
        "unwritable": ("reject", "what the step gave is no JSON ({reason}); correct the step"),
        "misfit": ("review", "the recorded answer is not what the step expects ({reason}); correct the schema"),
    }

    def __init__(self, kind: str, slot: str, reason: str) -> None:
        super().__init__(kind, f"deciding `{slot}`", reason)
        self.slot = slot


def decide(
    *,
    model: str,
    slot: str,
    prompt: str,
    prompt_version: str = "",
    temperature: float = 0.0,
    input: object = None,
    output_schema: object = None,
    answer: type[Answer] = object,  # type: ignore[assignment]
) -> Decision[Answer]:
    """The pinned answer; else a cached answer to an equal question; else ask the model, record, and pin.

    It is durable before this returns. ``slot`` names the decision within the work: an answer is pinned to it, whatever the question becomes
    later. ``output_schema`` is the JSON Schema that an answer must pass before it is recorded, ``answer`` the type that it is read into.
    """
    question = wit.Question(
        slot=slot,
        model=model,
        prompt_version=prompt_version,
        prompt=prompt,
        temperature=temperature,
        input=_written(slot, input),
        output_schema=None if output_schema is None else _written(slot, output_schema),
    )
    return _typed(slot, _called(slot, lambda host: host.decide(question)), answer)


def recall(slot: str, answer: type[Answer] = object) -> Decision[Answer] | None:  # type: ignore[assignment]
    """The answer pinned to this slot of the work, where there is one. No model is asked."""
    found = _called(slot, lambda host: host.recall(slot))
    return None if found is None else _typed(slot, found, answer)


def cache(slot: str, found: Answer) -> Decision[Answer]:
    """Record an answer that the step found by itself (a rule). The first one wins, and it is returned."""
    text = _written(slot, found)
    return _typed(slot, _called(slot, lambda host: host.cache(slot, text)), type(found))


def _called(slot: str, call: Callable[[wit.Host], Called]) -> Called:
    try:
        return call(host("deciding"))
    except wit.Refused as error:
        raise DecisionError(error.kind, slot, error.reason) from None


def _written(slot: str, value: object) -> str:
    try:
        return write(value)
    except (TypeError, ValueError) as error:
        raise DecisionError("unwritable", slot, str(error)) from None


def _typed(slot: str, answered: wit.Answered, into: type[Answer]) -> Decision[Answer]:
    try:
        return Decision(read(answered.answer, into), answered.origin)
    except Misfit as error:
        raise DecisionError("misfit", slot, str(error)) from None
