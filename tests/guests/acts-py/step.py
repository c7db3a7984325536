"""Does what its payload says, one act after the other, and gives what each of them gave."""

from __future__ import annotations

import datetime
import random
import sys
import time
import uuid
from dataclasses import dataclass
from typing import Any, Callable

from onceward_guest import (
    CONTENT,
    Approval,
    ContinueFrom,
    Done,
    Failure,
    Outcome,
    Work,
    context,
    decide,
    decisions,
    enqueue,
    ledger,
    note,
    progress,
    seconds,
)
from onceward_guest import step as declare


@dataclass(frozen=True)
class Told:
    acts: list[str]


def _ask(slot: str) -> object:
    return decide(model="oracle", slot=slot, prompt="What?", input=slot).answer


def _recall(slot: str) -> object:
    found = decisions.recall(slot)
    return "nothing" if found is None else found.answer


def _hold(reason: str) -> int:
    approval = Approval(reason, expires_after=60)
    row = enqueue(
        destination="crm", slot="held", payload=[1], effect_version=2, ordering_key="c-1", approval=approval
    )
    return len(row)


def _go_on(step: str) -> int:
    row = enqueue(destination="crm", slot="on", payload=1, receipt_step=step, receipt_step_is_optional=True)
    return len(row)


def _reference(key: str) -> list[object]:
    return [it.external_reference if it.state == "done" else it.state for it in ledger.claim([key])]


def _time(_: str) -> list[int]:
    utc = datetime.UTC
    return [
        context.occurred_at_ms(),
        round(time.time() * 1000),
        round(datetime.datetime.now(utc).timestamp() * 1000),
        round(datetime.datetime.fromtimestamp(0.005, utc).timestamp() * 1000),
        round(datetime.datetime(1970, 1, 1, 0, 0, 1, tzinfo=utc).timestamp() * 1000),
    ]


def _fail(failure: Failure) -> None:
    raise failure


def _crashes(words: str) -> None:
    raise IndexError(words)


ACTS: dict[str, Callable[[str], Any]] = {
    "ask": _ask,
    "recall": _recall,
    "cache": lambda slot: decisions.cache(slot, "by rule").answer,
    "send": lambda text: len(enqueue(destination="crm", slot="deal", payload={"text": text})),
    "send-elsewhere": lambda destination: enqueue(destination=destination, slot="deal", payload=None),
    "send-no-json": lambda _: enqueue(destination="crm", slot="deal", payload={1}),
    "hold": _hold,
    "go-on": _go_on,
    "claim": lambda keys: [verdict.state for verdict in ledger.claim(keys.split(","))],
    "reference": _reference,
    "record": lambda key: ledger.record_effect(key, f"r-{key}"),
    "release": ledger.release,
    "stage": progress.advance,
    "stage-or-note": progress.advance_or_note,
    "cursor": lambda _: progress.load_cursor() or "none",
    "note": note,
    "print": lambda text: print(text, '{"n":1}'),
    "warn": lambda text: print(text, file=sys.stderr, end=""),
    "time": _time,
    "random": lambda _: [random.random(), random.random(), str(uuid.uuid4()), str(uuid.uuid4())],
    "seed": context.seed,
    "id": context.derive_id,
    "retry": lambda reason: _fail(Failure.retry(reason, 5_000)),
    "review": lambda reason: _fail(Failure.review(reason)),
    "reject": lambda reason: _fail(Failure.reject(reason)),
    "crash": _crashes,
}


@declare(
    name="acts",
    version=3,
    identity=CONTENT,
    window=seconds(3_600),
    response="acknowledgement",
    volatile=["at"],
    urls=["/page"],
    times=["/asked"],
    trimmed=["/text"],
    destinations=["crm"],
    keyed_destinations=["billing"],
    models=["oracle"],
    input=Told,
)
def step(work: Work[Told]) -> Outcome:
    said = []
    for act in work.payload.acts:
        verb, _, arg = act.partition(" ")
        if verb == "more":
            return ContinueFrom(arg)
        said.append(ACTS[verb](arg))
    return Done(said)
