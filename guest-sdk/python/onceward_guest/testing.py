"""A host for plain tests: a step runs natively, and what it did can be looked at.

Decisions stay pinned, items stay done and the cursor is kept from one run to the next, as in the ledger; rows and marks of a run that failed
are dropped. Grants are those that the contract asks for. It has no network, no JSON Schemas and no limits: what it can't tell,
``onceward verify`` does. The language's own clock and chance stay as they are natively.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from onceward_guest import host, wit
from onceward_guest.failure import Failure
from onceward_guest.step import ContinueFrom, Outcome, Step, failure_of

#: When events happen here, in milliseconds since the Unix epoch, where a test does not say.
OCCURRED_AT_MS = 1_700_000_000_000


@dataclass
class Run:
    """What a run did."""

    #: What the step answered, where it did not fail.
    outcome: Outcome | None = None
    #: Why it failed, where it did.
    failure: Failure | None = None
    #: What it enqueued, in order; none where it failed, since nothing of it commits. Bodies are read.
    rows: list[wit.Row] = field(default_factory=list)
    #: What it noted, in order. Notes of a run that failed stay in the evidence.
    notes: list[str] = field(default_factory=list)
    #: The stages it moved the handoff to, in order; none where it failed.
    stages: list[str] = field(default_factory=list)


class Host:
    """A host with one work."""

    def __init__(self) -> None:
        #: The questions that models were asked in all runs. What was pinned or recalled is not asked.
        self.questions: list[wit.Question] = []
        self._occurred_at_ms = OCCURRED_AT_MS
        self._attempt = 0
        self._event: tuple[str, str | None] = ("test", "event-1")
        self._answers: dict[str, list[str | wit.Refused]] = {}
        self._pinned: dict[str, str] = {}
        self._rejected: dict[str, str] = {}
        self._withheld: set[str] = set()
        self._stages: list[str] | None = None
        self._reached: str | None = None
        self._items: dict[str, wit.ItemVerdict] = {}
        self._committed: list[wit.Row] = []
        self._cursor: str | None = None

    def answer(self, model: str, answer: object) -> Host:
        """The model's next answer. They are given in this order; a step that asks for more fails the test."""
        return self._give(model, json.dumps(answer))

    def model_fails(self, model: str, reason: str) -> Host:
        """The model's next call fails, for this reason."""
        return self._give(model, wit.Refused("model-failed", reason))

    def model_answers_invalid(self, model: str, reason: str) -> Host:
        """The model's next answer does not fit the question's schema, for this reason."""
        return self._give(model, wit.Refused("invalid-answer", reason))

    def rejected(self, slot: str, reason: str) -> Host:
        """A person rejected the answer in this slot."""
        self._rejected[slot] = reason
        return self

    def without(self, name: str) -> Host:
        """The operator does not grant this model or destination, although the contract asks for it."""
        self._withheld.add(name)
        return self

    def stages(self, *stages: str) -> Host:
        """The handoff's stages, in order. Without them every stage is known, and none is behind another."""
        self._stages = list(stages)
        return self

    def item_done(self, key: str, reference: str | None = None) -> Host:
        """An item of the batch that was done before, with its external reference."""
        self._items[key] = wit.ItemVerdict("done", reference)
        return self

    def item_in_progress(self, key: str) -> Host:
        """An item of the batch that another run holds."""
        self._items[key] = wit.ItemVerdict("in-progress")
        return self

    def event(self, source: str, event_id: str | None = None) -> Host:
        """Where the event came from, and its provider's id."""
        self._event = (source, event_id)
        return self

    def occurred_at_ms(self, ms: int) -> Host:
        """When the event happened, in milliseconds since the Unix epoch."""
        self._occurred_at_ms = ms
        return self

    @property
    def items_done(self) -> dict[str, str | None]:
        """Items of the batch that are done, with their external references."""
        return {key: item.external_reference for key, item in self._items.items() if item.state == "done"}

    def run(self, step: Step, payload: object) -> Run:
        """Run the step on this payload, as the work's next attempt or chunk. An error that is no failure is raised on."""
        declared = step.declaration
        asked = {*declared.destinations, *declared.keyed_destinations, *declared.models}
        self._attempt += 1
        source, event_id = self._event
        key = f"{declared.name}:v{declared.version}:{source}"
        work = wit.RawWork(_digits("work", 64), key, "test", self._attempt, source, event_id, json.dumps(payload))
        run = _UnderWay(self, asked - self._withheld)
        host.install(run)
        try:
            run.made.outcome = step.attempt(work)
        except Exception as error:
            run.made.failure = failure_of(error)
        finally:
            host.install(None)
            self._end(run)
        rows = [dataclasses.replace(row, payload=json.loads(row.payload)) for row in run.made.rows]
        return dataclasses.replace(run.made, rows=rows)

    def _give(self, model: str, answer: str | wit.Refused) -> Host:
        self._answers.setdefault(model, []).append(answer)
        return self

    def _end(self, run: _UnderWay) -> None:
        outcome = run.made.outcome
        if outcome is None:
            run.made.rows, run.made.stages = [], []
            return
        for key, reference in run.recorded.items():
            self._items[key] = wit.ItemVerdict("done", reference)
        continues = isinstance(outcome, ContinueFrom)
        # A chunk is progress: attempts begin anew.
        self._attempt = 0 if continues else self._attempt
        self._cursor = outcome.cursor if isinstance(outcome, ContinueFrom) else None
        self._reached = run.made.stages[-1] if run.made.stages else self._reached
        self._committed += run.made.rows


class _UnderWay:
    """The host's functions for the run that is under way."""

    def __init__(self, of: Host, granted: set[str]) -> None:
        self._of = of
        self._granted = granted
        self._held: set[str] = set()
        self.made = Run()
        self.recorded: dict[str, str | None] = {}

    def occurred_at(self) -> int:
        return self._of._occurred_at_ms

    def seed(self, label: str) -> int:
        return int(_digits(label, 16), 16)

    def derive_id(self, label: str) -> str:
        # Version 8 and the variant of RFC 9562, as the real host's.
        digits = _digits(label, 32)
        return f"{digits[:8]}-{digits[8:12]}-8{digits[13:16]}-8{digits[17:20]}-{digits[20:]}"

    def note(self, text: str) -> None:
        self.made.notes.append(text)

    def recall(self, slot: str) -> wit.Answered | None:
        if (reason := self._of._rejected.get(slot)) is not None:
            raise wit.Refused("rejected", reason)
        answer = self._of._pinned.get(slot)
        return None if answer is None else wit.Answered(answer, "pinned")

    def cache(self, slot: str, answer: str) -> wit.Answered:
        return self.recall(slot) or self._pin(slot, answer)

    def decide(self, question: wit.Question) -> wit.Answered:
        if found := self.recall(question.slot):
            return found
        if not question.slot:
            raise wit.Refused("invalid-question", "the slot is empty")
        if question.model not in self._granted:
            raise wit.Refused("not-granted", question.model)
        self._of.questions.append(question)
        answers = self._of._answers.get(question.model)
        if not answers:
            raise AssertionError(
                f"the step asks the model {question.model!r} in the slot {question.slot!r}, and the test gives no answer"
            )
        answer = answers.pop(0)
        if isinstance(answer, wit.Refused):
            raise answer
        return self._pin(question.slot, answer)

    def _pin(self, slot: str, answer: str) -> wit.Answered:
        self._of._pinned[slot] = answer
        return wit.Answered(answer, "asked")

    def enqueue(self, row: wit.Row) -> str:
        if row.destination not in self._granted:
            raise wit.Refused("not-granted", row.destination)
        if not row.slot:
            raise wit.Refused("invalid-row", "the slot is empty")

        def name(of: wit.Row) -> tuple[Any, ...]:
            return (of.destination, of.slot, of.effect_version)

        row_id = _digits("/".join(map(str, name(row))), 64)
        standing = [other for other in self._of._committed + self.made.rows if name(other) == name(row)]
        if not standing:
            self.made.rows.append(row)
        elif standing[0].payload != row.payload:
            raise wit.Refused("conflict", row_id)
        return row_id

    def claim(self, items: list[str]) -> list[wit.ItemVerdict]:
        return [self._claim(key) for key in items]

    def _claim(self, key: str) -> wit.ItemVerdict:
        if key in self._held:
            return wit.ItemVerdict("in-progress")
        if (item := self._of._items.get(key)) is not None:
            return item
        self._held.add(key)
        return wit.ItemVerdict("acquired")

    def record_effect(self, item: str, external_reference: str | None) -> None:
        self._must_hold(item)
        self.recorded[item] = external_reference

    def release(self, item: str) -> None:
        self._must_hold(item)
        self._held.remove(item)
        self.recorded.pop(item, None)

    def _must_hold(self, item: str) -> None:
        if item not in self._held:
            raise wit.Refused("not-claimed", item)

    def advance(self, stage: str) -> None:
        stages = self._of._stages
        if stages is not None:
            reached = self.made.stages[-1] if self.made.stages else self._of._reached
            if stage not in stages:
                raise wit.Refused("unknown-stage", ", ".join(stages))
            if reached is not None and stages.index(reached) > stages.index(stage):
                raise wit.Refused("backwards", reached)
        self.made.stages.append(stage)

    def load_cursor(self) -> str | None:
        return self._of._cursor


def _digits(label: str, length: int) -> str:
    return hashlib.sha256(label.encode()).hexdigest()[:length]
