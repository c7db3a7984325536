import assert from "node:assert/strict";
import { test } from "node:test";
import { Host } from "onceward-guest/testing";
import step from "../src/step.ts";

const LEAD = { source: "web-form", message_id: "m-1", text: "Please call me", priority: "urgent", unknown: 1 };
const TRIAGE = { type: "new-business", priority: "high", summary: "Wants a quote", reply: "Thank you", confidence: 0.9 };

test("a person looks at an unsure answer alone", () => {
    for (const [confidence, doubted] of [[0, true], [0.59, true], [0.6, false], [1, false]] as const) {
        const run = new Host().answer("classifier", { ...TRIAGE, confidence }).run(step, LEAD);
        assert.ok(run.outcome?.kind === "done");
        assert.equal(run.outcome.needsReview !== undefined, doubted, `${confidence}`);
    }
});

test("a lead without a triage goes on and says so", () => {
    const run = new Host().modelFails("classifier", "it is away").run(step, LEAD);
    assert.ok(run.outcome?.kind === "done");
    const { source, message_id, text } = LEAD;
    assert.deepEqual(run.outcome.output, { source, message_id, text, contact: {}, enriched: false });
    assert.match(run.outcome.needsReview ?? "", /not enriched: .*it is away/);
    assert.deepEqual(run.stages, ["received"]);
});

test("a lead of another shape goes to a person with the place", () => {
    const run = new Host().run(step, { ...LEAD, contact: { email: 7 } });
    assert.equal(run.failure?.kind, "review");
    assert.match(run.failure?.message ?? "", /`\/contact\/email`/);
});
