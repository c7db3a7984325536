"""The step's logic, natively: ``python -m unittest``, with the SDK on the path."""

from __future__ import annotations

import unittest

from onceward_guest import Done
from onceward_guest.testing import Host

from step import step

LEAD = {"source": "web-form", "message_id": "m-1", "text": "Please call me", "priority": "urgent", "unknown": 1}
TRIAGE = {"type": "new-business", "priority": "high", "summary": "Wants a quote", "reply": "Thank you", "confidence": 0.9}


class LeadClassifier(unittest.TestCase):
    def test_a_person_looks_at_an_unsure_answer_alone(self) -> None:
        for confidence, doubted in [(0, True), (0.59, True), (0.6, False), (1, False)]:
            run = Host().answer("classifier", {**TRIAGE, "confidence": confidence}).run(step, LEAD)
            assert isinstance(run.outcome, Done)
            self.assertEqual(run.outcome.needs_review is not None, doubted, confidence)

    def test_a_lead_without_a_triage_goes_on_and_says_so(self) -> None:
        run = Host().model_fails("classifier", "it is away").run(step, LEAD)
        assert isinstance(run.outcome, Done) and isinstance(run.outcome.output, dict)
        output = run.outcome.output
        self.assertEqual((output["enriched"], output["text"], output.get("priority")), (False, "Please call me", None))
        self.assertIn("it is away", run.outcome.needs_review or "")
        self.assertEqual(run.stages, ["received"])

    def test_a_lead_of_another_shape_goes_to_a_person_with_the_place(self) -> None:
        run = Host().run(step, {**LEAD, "contact": {"email": 7}})
        assert run.failure is not None
        self.assertEqual(run.failure.kind, "review")
        self.assertIn("`/contact/email`", run.failure.reason)


if __name__ == "__main__":
    unittest.main()
