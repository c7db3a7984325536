"""What a component's entry imports first: the real host, and the language's own clock, chance and output.

``wit_world`` is what componentize-py makes of the WIT; it is there only while a component is built, and in it.
"""

from __future__ import annotations

from typing import Any, Callable, TypeVar

from componentize_py_types import Err
from wit_world.exports import guest
from wit_world.imports import context, decisions, journal, ledger, outbox, progress

from onceward_guest import host, prelude, wit
from onceward_guest.failure import Failure
from onceward_guest.step import ContinueFrom, Step, failure_of, written

T = TypeVar("T")

prelude.install()


def _kind(case: object) -> str:
    """``not-granted`` of a class ``DecisionError_NotGranted`` of a variant, ``asked`` of an enum's case ``ASKED``."""
    if name := getattr(case, "name", None):
        return str(name).lower().replace("_", "-")
    camel = type(case).__name__.rsplit("_", 1)[-1]
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in camel).lstrip("-")


def _asked(call: Callable[[], T]) -> T:
    try:
        return call()
    except Err as error:
        raise wit.Refused(_kind(error.value), str(error.value.value)) from None


class _RealHost:
    def occurred_at(self) -> int:
        return context.occurred_at()

    def seed(self, label: str) -> int:
        return context.seed(label)

    def derive_id(self, label: str) -> str:
        return context.derive_id(label)

    def note(self, text: str) -> None:
        journal.note(text)

    def recall(self, slot: str) -> wit.Answered | None:
        found = _asked(lambda: decisions.recall(slot))
        return None if found is None else _answered(found)

    def cache(self, slot: str, answer: str) -> wit.Answered:
        return _answered(_asked(lambda: decisions.cache(slot, answer)))

    def decide(self, question: wit.Question) -> wit.Answered:
        return _answered(_asked(lambda: decisions.decide(decisions.Question(**vars(question)))))

    def enqueue(self, row: wit.Row) -> str:
        approval = row.approval and outbox.Approval(row.approval.reason, row.approval.expires_after)
        return _asked(lambda: outbox.enqueue(outbox.Row(**{**vars(row), "approval": approval})))

    def claim(self, items: list[str]) -> list[wit.ItemVerdict]:
        verdicts = _asked(lambda: ledger.claim(items))
        return [wit.ItemVerdict(_kind(it), getattr(it, "value", None)) for it in verdicts]  # type: ignore[arg-type]

    def record_effect(self, item: str, external_reference: str | None) -> None:
        _asked(lambda: ledger.record_effect(ledger.Effect(item, external_reference)))

    def release(self, item: str) -> None:
        _asked(lambda: ledger.release(item))

    def advance(self, stage: str) -> None:
        _asked(lambda: progress.advance(stage))

    def load_cursor(self) -> str | None:
        return progress.load_cursor()


def _answered(decision: Any) -> wit.Answered:
    return wit.Answered(decision.answer, _kind(decision.origin))  # type: ignore[arg-type]


def _declaration(declared: wit.Declaration) -> guest.Declaration:
    identity: dict[str, Callable[[], guest.Identity]] = {
        "event-key": guest.Identity_EventKey,
        "content": guest.Identity_Content,
        "business-key": lambda: guest.Identity_BusinessKey(list(declared.identity.fields)),
    }
    window: dict[str, Callable[[], guest.Window]] = {
        "for-ever": guest.Window_ForEver,
        "duration": lambda: guest.Window_Duration(declared.window.seconds),
        "until-marker": lambda: guest.Window_UntilMarker(declared.window.marker),
    }
    wanted = [guest.WantedDestination(name, guest.Tier.BLIND) for name in declared.destinations]
    wanted += [guest.WantedDestination(name, guest.Tier.KEY) for name in declared.keyed_destinations]
    return guest.Declaration(
        name=declared.name,
        version=declared.version,
        identity=identity[declared.identity.kind](),
        normalisation=guest.Normalisation(
            declared.volatile, declared.urls, declared.times, declared.trimmed, declared.content_fields
        ),
        window=window[declared.window.kind](),
        response=guest.Response[declared.response.upper()],
        mode=guest.Mode.READ_ONLY if declared.read_only else guest.Mode.RECORDED,
        destinations=wanted,
        models=declared.models,
    )


def _refusal(failure: Failure) -> Err[Any]:
    match failure.kind:
        case "retry":
            return Err(guest.Failure_Retry(guest.Later(failure.reason, failure.after_ms)))
        case "review":
            return Err(guest.Failure_Review(failure.reason))
        case "reject":
            return Err(guest.Failure_Reject(failure.reason))


def component(step: Step) -> type:
    """What the component exports. The host is there only while a work is handled."""

    class Guest:
        def contract(self) -> guest.Declaration:
            return _declaration(step.declaration)

        def handle(self, work: guest.Work) -> Any:
            host.install(_RealHost())
            prelude.begin()
            try:
                outcome = step.attempt(wit.RawWork(**vars(work)))
                if isinstance(outcome, ContinueFrom):
                    return guest.Outcome_Continue(outcome.cursor)
                return guest.Outcome_Done(guest.Finished(written(outcome), outcome.needs_review))
            except Exception as error:
                raise _refusal(failure_of(error)) from None
            finally:
                prelude.end()
                # What is printed from here on, the trace of an error for one, has been told.
                host.install(None)

    return Guest
