/** What the host for native tests does, shown by a step that does what it is told. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Host, type Run } from "onceward-guest/testing";
import step from "../src/step.ts";

const run = (host: Host, ...acts: string[]) => host.run(step, { acts });

function output(of: Run<unknown>): unknown {
    assert.ok(of.outcome?.kind === "done", of.failure?.message);
    return of.outcome.output;
}

test("an answer is pinned and outlives a run that failed", () => {
    const host = new Host().answer("oracle", "first").answer("oracle", "second");
    assert.equal(run(host, "ask a", "retry later").failure?.message, "later");
    assert.deepEqual(output(run(host, "ask a", "ask b", "cache a", "recall b")), ["first", "second", "first", "second"]);
    assert.deepEqual(host.questions.map((asked) => asked.input), ["a", "b"]);
});

test("what a failed run collected is dropped and its notes stay", () => {
    const host = new Host();
    const failed = run(host, "send x", "stage received", "claim i", "record i", "note why", "review look");
    assert.deepEqual([failed.rows, failed.stages, failed.notes, failed.failure?.kind], [[], [], ["why"], "review"]);
    const done = run(host, "send x", "stage received", "claim i", "record i");
    assert.deepEqual([done.rows.length, done.stages], [1, ["received"]]);
    assert.deepEqual(host.itemsDone, [["i", "r-i"]]);
    assert.deepEqual(output(run(host, "claim i", "reference i")), [["done"], ["r-i"]]);
});

test("a row is one and its first payload stands", () => {
    const host = new Host();
    assert.equal(run(host, "send x", "send x").rows.length, 1);
    assert.equal(run(host, "send x").rows.length, 0);
    assert.match(run(host, "send y").failure?.message ?? "", /another payload/);
});

test("a chunk gives its cursor to the next run", () => {
    const host = new Host();
    assert.deepEqual(run(host, "cursor", "more 10").outcome, { kind: "continue", cursor: "10" });
    assert.deepEqual(output(run(host, "cursor")), ["10"]);
});

test("grants, stages and items elsewhere are as the test says", () => {
    const refused = (host: Host, ...acts: string[]) => run(host, ...acts).failure?.message ?? "";
    assert.match(refused(new Host(), "send-elsewhere chat"), /not granted/);
    assert.match(refused(new Host().without("crm"), "send x"), /not granted/);
    assert.match(refused(new Host().without("oracle"), "ask a"), /not granted/);
    assert.match(refused(new Host().stages("a", "b"), "stage c"), /no such stage/);
    assert.match(refused(new Host().stages("a", "b"), "stage b", "stage a"), /has reached `b`/);
    assert.match(refused(new Host().modelFails("oracle", "away"), "ask a"), /away/);
    assert.match(refused(new Host().modelAnswersInvalid("oracle", "odd"), "ask a"), /odd/);
    assert.match(refused(new Host().rejected("a", "a person rejected it"), "ask a"), /a person rejected it/);
    assert.match(refused(new Host(), "record i"), /claim it first/);
    assert.deepEqual(output(run(new Host().itemInProgress("i"), "claim i,j,j")), [["in-progress", "acquired", "in-progress"]]);
});

test("time, chance and console are the work's own, and the test's again afterwards", () => {
    const host = new Host().occurredAtMs(5_000);
    const [time, random] = output(run(host, "time", "random")) as [number[], number[]];
    assert.deepEqual(time, [5_000, 5_000, 5_000, 5, 1_000]);
    assert.deepEqual((output(run(host, "time", "random")) as number[][])[1], random);
    assert.notEqual(random[0], random[1]);
    assert.deepEqual(run(host, "print hello", "warn careful").notes, ['hello {"n":1}', "warning: careful"]);
    assert.ok(Date.now() > 1_700_000_000_000);
});

test("what is no failure is thrown, and a question without an answer fails the test", () => {
    assert.throws(() => run(new Host(), "crash boom"), { name: "RangeError", message: "boom" });
    assert.throws(() => run(new Host(), "ask a"), /the test gives no answer/);
    assert.throws(() => run(new Host(), "asynchronous"), /promise/);
});
