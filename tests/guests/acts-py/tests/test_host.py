"""What the host for native tests does, shown by a step that does what it is told; and how JSON is read."""

from __future__ import annotations

import enum
import unittest
from dataclasses import dataclass, field
from typing import Literal

from onceward_guest import Done
from onceward_guest.jsons import Misfit, read, write
from onceward_guest.testing import Host, Run

from step import step


def run(host: Host, *acts: str) -> Run:
    return host.run(step, {"acts": list(acts)})


class TheHost(unittest.TestCase):
    def output(self, of: Run) -> object:
        self.assertIsInstance(of.outcome, Done, of.failure)
        return of.outcome.output  # type: ignore[union-attr]

    def refused(self, host: Host, *acts: str) -> str:
        failure = run(host, *acts).failure
        self.assertIsNotNone(failure)
        return str(failure)

    def test_an_answer_is_pinned_and_outlives_a_run_that_failed(self) -> None:
        host = Host().answer("oracle", "first").answer("oracle", "second")
        self.assertEqual(self.refused(host, "ask a", "retry later"), "later")
        said = self.output(run(host, "ask a", "ask b", "cache a", "recall b"))
        self.assertEqual(said, ["first", "second", "first", "second"])
        self.assertEqual([asked.input for asked in host.questions], ['"a"', '"b"'])

    def test_what_a_failed_run_collected_is_dropped_and_its_notes_stay(self) -> None:
        host = Host()
        failed = run(host, "send x", "stage received", "claim i", "record i", "note why", "review look")
        self.assertEqual((failed.rows, failed.stages, failed.notes), ([], [], ["why"]))
        done = run(host, "send x", "stage received", "claim i", "record i")
        self.assertEqual((len(done.rows), done.stages), (1, ["received"]))
        self.assertEqual(host.items_done, {"i": "r-i"})
        self.assertEqual(self.output(run(host, "claim i", "reference i")), [["done"], ["r-i"]])

    def test_a_row_is_one_and_its_first_payload_stands(self) -> None:
        host = Host()
        self.assertEqual(len(run(host, "send x", "send x").rows), 1)
        self.assertEqual(len(run(host, "send x").rows), 0)
        self.assertIn("another payload", self.refused(host, "send y"))

    def test_a_chunk_gives_its_cursor_to_the_next_run(self) -> None:
        host = Host()
        run(host, "cursor", "more 10")
        self.assertEqual(self.output(run(host, "cursor")), ["10"])

    def test_grants_stages_and_items_elsewhere_are_as_the_test_says(self) -> None:
        for host, acts, said in [
            (Host(), ["send-elsewhere chat"], "not granted"),
            (Host().without("crm"), ["send x"], "not granted"),
            (Host().without("oracle"), ["ask a"], "not granted"),
            (Host().stages("a", "b"), ["stage c"], "no such stage"),
            (Host().stages("a", "b"), ["stage b", "stage a"], "has reached `b`"),
            (Host().model_fails("oracle", "away"), ["ask a"], "away"),
            (Host().model_answers_invalid("oracle", "odd"), ["ask a"], "odd"),
            (Host().rejected("a", "a person rejected it"), ["ask a"], "a person rejected it"),
            (Host(), ["record i"], "claim it first"),
            (Host(), ["send-no-json"], "is no JSON"),
        ]:
            self.assertIn(said, self.refused(host, *acts))
        said = self.output(run(Host().item_in_progress("i"), "claim i,j,j"))
        self.assertEqual(said, [["in-progress", "acquired", "in-progress"]])

    def test_what_is_no_failure_is_raised_and_a_question_without_an_answer_fails_the_test(self) -> None:
        with self.assertRaisesRegex(IndexError, "boom"):
            run(Host(), "crash boom")
        with self.assertRaisesRegex(AssertionError, "the test gives no answer"):
            run(Host(), "ask a")


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Inner:
    number: float
    word: Literal["a", "b"] = "a"


@dataclass
class Whole:
    inner: list[Inner]
    name: str | None = None
    colour: Colour = Colour.RED
    more: dict[str, int] = field(default_factory=dict)


class Json(unittest.TestCase):
    def test_what_fits_is_read_and_written_without_what_is_absent(self) -> None:
        text = '{"inner":[{"number":1,"word":"b","other":1}],"colour":"red","more":{"x":2}}'
        whole = read(text, Whole)
        self.assertEqual(whole, Whole([Inner(1.0, "b")], None, Colour.RED, {"x": 2}))
        self.assertEqual(write(whole), '{"inner":[{"number":1.0,"word":"b"}],"colour":"red","more":{"x":2}}')

    def test_what_does_not_fit_is_named_with_its_place(self) -> None:
        for text, place, said in [
            ("[", "", "Expecting value"),
            ("NaN", "", "NaN is no JSON"),
            ("[]", "", "an object is expected"),
            ("{}", "", "`inner` is missing"),
            ('{"inner":[{"number":1},{"number":true}]}', "/inner/1/number", "a number is expected, and true was found"),
            ('{"inner":[{"number":1,"word":"c"}]}', "/inner/0/word", "one of 'a', 'b'"),
            ('{"inner":[],"name":1}', "/name", "1 was found"),
            ('{"inner":[],"colour":"blue"}', "/colour", "'red'"),
            ('{"inner":[],"more":{"a/b":1.5}}', "/more/a~1b", "a whole number"),
        ]:
            with self.assertRaises(Misfit) as raised:
                read(text, Whole)
            self.assertEqual(raised.exception.pointer, place, text)
            self.assertIn(said, str(raised.exception))


if __name__ == "__main__":
    unittest.main()
