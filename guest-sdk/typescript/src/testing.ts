/**
 * A host for plain tests: a step runs natively, and what it did can be looked at.
 *
 * Decisions stay pinned, items stay done and the cursor is kept from one run to the next, as in the ledger; rows and
 * marks of a run that failed are dropped. Grants are those that the contract asks for. It has no network, no JSON
 * Schemas and no limits: what it can't tell, `onceward verify` does.
 */

import type { Failure } from "./failure.ts";
import * as host from "./host.ts";
import type { Json } from "./json.ts";
import * as prelude from "./prelude.ts";
import { failureOf, type Outcome, type Step } from "./step.ts";
import type * as wit from "./wit.ts";

/** When events happen here, in milliseconds since the Unix epoch, where a test does not say. */
export const OCCURRED_AT_MS = 1_700_000_000_000;

/** What a run did. */
export interface Run<Output> {
    /** What the step answered, where it did not fail. */
    outcome: Outcome<Output> | undefined;
    /** Why it failed, where it did. */
    failure: Failure | undefined;
    /** What it enqueued, in order; none where it failed, since nothing of it commits. */
    rows: SentRow[];
    /** What it noted, in order. Notes of a run that failed stay in the evidence. */
    notes: string[];
    /** The stages it moved the handoff to, in order; none where it failed. */
    stages: string[];
}

/** An effect that a step enqueued, with its body read. */
export type SentRow = Omit<wit.Row, "payload"> & { payload: Json };

/** A question that a model was asked, with its input read. */
export type Asked = Omit<wit.Question, "input"> & { input: Json };

type Answer = { answer: string } | wit.DecisionError;
type Item = { state: "done"; reference: string | null } | { state: "elsewhere" } | { state: "held" };

/** A host with one work. */
export class Host {
    /** The questions that models were asked in all runs. What was pinned or recalled is not asked. */
    readonly questions: Asked[] = [];

    #occurredAtMs = OCCURRED_AT_MS;
    #attempt = 0;
    #source = "test";
    #eventId: string | null = "event-1";
    #answers = new Map<string, Answer[]>();
    #pinned = new Map<string, string>();
    #rejected = new Map<string, string>();
    #withheld = new Set<string>();
    #stages: string[] | undefined;
    #reached: string | undefined;
    #items = new Map<string, Item>();
    #committed: wit.Row[] = [];
    #cursor: string | null = null;

    /** The model's next answer. They are given in this order; a step that asks for more fails the test. */
    answer(model: string, answer: Json): this {
        return this.#give(model, { answer: JSON.stringify(answer) });
    }

    /** The model's next call fails, for this reason. */
    modelFails(model: string, reason: string): this {
        return this.#give(model, { tag: "model-failed", val: reason });
    }

    /** The model's next answer does not fit the question's schema, for this reason. */
    modelAnswersInvalid(model: string, reason: string): this {
        return this.#give(model, { tag: "invalid-answer", val: reason });
    }

    /** A person rejected the answer in this slot. */
    rejected(slot: string, reason: string): this {
        this.#rejected.set(slot, reason);
        return this;
    }

    /** The operator does not grant this model or destination, although the contract asks for it. */
    without(name: string): this {
        this.#withheld.add(name);
        return this;
    }

    /** The handoff's stages, in order. Without them every stage is known, and none is behind another. */
    stages(...stages: string[]): this {
        this.#stages = stages;
        return this;
    }

    /** An item of the batch that was done before, with its external reference. */
    itemDone(key: string, reference?: string): this {
        this.#items.set(key, { state: "done", reference: reference ?? null });
        return this;
    }

    /** An item of the batch that another run holds. */
    itemInProgress(key: string): this {
        this.#items.set(key, { state: "elsewhere" });
        return this;
    }

    /** Where the event came from, and its provider's id. */
    event(source: string, eventId?: string): this {
        [this.#source, this.#eventId] = [source, eventId ?? null];
        return this;
    }

    /** When the event happened, in milliseconds since the Unix epoch. */
    occurredAtMs(ms: number): this {
        this.#occurredAtMs = ms;
        return this;
    }

    /** Items of the batch that are done, with their external references. */
    get itemsDone(): [string, string | null][] {
        return [...this.#items].flatMap(([key, item]) => (item.state === "done" ? [[key, item.reference] as [string, string | null]] : []));
    }

    /** Run the step on this payload, as the work's next attempt or chunk. An error that is no failure is thrown on. */
    run<Output>(step: Step<Output>, payload: Json): Run<Output> {
        const contract = step.contract();
        const asked = [...contract.destinations.map((wanted) => wanted.name), ...contract.models];
        const collected: Collected = { rows: [], notes: [], stages: [], recorded: new Map() };
        this.#attempt += 1;
        const work: wit.Work = {
            id: digits("work", 64),
            key: `${contract.name}:v${contract.version}:${this.#source}`,
            namespace: "test",
            attempt: this.#attempt,
            source: this.#source,
            eventId: this.#eventId,
            payload: JSON.stringify(payload),
        };
        let outcome: Outcome<Output> | undefined;
        let failure: Failure | undefined;
        host.install(this.#functions(new Set(asked.filter((name) => !this.#withheld.has(name))), collected));
        prelude.begin();
        const { Date: realDate, Math: { random }, console: realConsole, performance } = globalThis;
        prelude.install();
        try {
            outcome = step.attempt(work);
        } catch (thrown) {
            failure = failureOf(thrown);
        } finally {
            host.install(undefined);
            Object.assign(globalThis, { Date: realDate, console: realConsole });
            Object.defineProperty(globalThis, "performance", { value: performance, configurable: true, writable: true });
            Math.random = random;
            this.#end(outcome, collected);
        }
        const rows = collected.rows.map((row) => ({ ...row, payload: JSON.parse(row.payload) as Json }));
        const { notes, stages } = collected;
        return outcome === undefined ? { outcome, failure, rows: [], notes, stages: [] } : { outcome, failure, rows, notes, stages };
    }

    #give(model: string, answer: Answer): this {
        this.#answers.set(model, [...(this.#answers.get(model) ?? []), answer]);
        return this;
    }

    #end(outcome: Outcome<unknown> | undefined, collected: Collected): void {
        for (const [key, item] of this.#items) {
            const reference = collected.recorded.get(key);
            if (item.state !== "held") {
                continue;
            }
            if (outcome !== undefined && reference !== undefined) {
                this.#items.set(key, { state: "done", reference });
            } else {
                this.#items.delete(key);
            }
        }
        if (outcome === undefined) {
            return;
        }
        // A chunk is progress: attempts begin anew.
        this.#attempt = outcome.kind === "continue" ? 0 : this.#attempt;
        this.#cursor = outcome.kind === "continue" ? outcome.cursor : null;
        this.#reached = collected.stages.at(-1) ?? this.#reached;
        this.#committed.push(...collected.rows);
    }

    #functions(granted: Set<string>, collected: Collected): wit.Host {
        return {
            context: {
                occurredAt: () => this.#occurredAtMs,
                seed: (label) => Number(BigInt(`0x${digits(label, 16)}`)),
                deriveId: (label) => {
                    const id = digits(label, 32);
                    // Version 8 and the variant of RFC 9562, as the real host's.
                    return `${id.slice(0, 8)}-${id.slice(8, 12)}-8${id.slice(13, 16)}-8${id.slice(17, 20)}-${id.slice(20)}`;
                },
            },
            journal: { note: (text) => collected.notes.push(text) },
            decisions: {
                recall: (slot) => this.#recall(slot),
                cache: (slot, answer) => this.#recall(slot) ?? this.#pin(slot, answer),
                decide: (question) => this.#recall(question.slot) ?? this.#ask(question, granted),
            },
            outbox: { enqueue: (row) => this.#enqueue(row, granted, collected) },
            progress: {
                advance: (stage) => this.#advance(stage, collected),
                loadCursor: () => this.#cursor,
            },
            ledger: {
                claim: (items) => items.map((item) => this.#claim(item)),
                recordEffect: ({ item, externalReference }) => {
                    this.#held(item);
                    collected.recorded.set(item, externalReference);
                },
                release: (item) => {
                    this.#held(item);
                    this.#items.delete(item);
                },
            },
        };
    }

    #recall(slot: string): wit.Decision | null {
        const reason = this.#rejected.get(slot);
        if (reason !== undefined) {
            throw refused({ tag: "rejected", val: reason });
        }
        const answer = this.#pinned.get(slot);
        return answer === undefined ? null : { answer, origin: "pinned" };
    }

    #pin(slot: string, answer: string): wit.Decision {
        this.#pinned.set(slot, answer);
        return { answer, origin: "asked" };
    }

    #ask(question: wit.Question, granted: Set<string>): wit.Decision {
        const { model, slot } = question;
        if (slot === "") {
            throw refused({ tag: "invalid-question", val: "the slot is empty" });
        }
        if (!granted.has(model)) {
            throw refused({ tag: "not-granted", val: model });
        }
        this.questions.push({ ...question, input: JSON.parse(question.input) as Json });
        const [next, ...rest] = this.#answers.get(model) ?? [];
        if (next === undefined) {
            throw new Error(`the step asks the model ${JSON.stringify(model)} in the slot ${JSON.stringify(slot)}, and the test gives no answer`);
        }
        this.#answers.set(model, rest);
        if (!("answer" in next)) {
            throw refused(next);
        }
        return this.#pin(slot, next.answer);
    }

    #enqueue(row: wit.Row, granted: Set<string>, collected: Collected): string {
        if (!granted.has(row.destination)) {
            throw refused({ tag: "not-granted", val: row.destination });
        }
        if (row.slot === "") {
            throw refused({ tag: "invalid-row", val: "the slot is empty" });
        }
        const same = (other: wit.Row) =>
            other.destination === row.destination && other.slot === row.slot && other.effectVersion === row.effectVersion;
        const id = digits(`${row.destination}/${row.slot}/${row.effectVersion}`, 64);
        const standing = [...this.#committed, ...collected.rows].find(same);
        if (standing !== undefined && standing.payload !== row.payload) {
            throw refused({ tag: "conflict", val: id });
        }
        if (standing === undefined) {
            collected.rows.push(row);
        }
        return id;
    }

    #advance(stage: string, collected: Collected): void {
        if (this.#stages !== undefined) {
            const reached = collected.stages.at(-1) ?? this.#reached;
            const at = this.#stages.indexOf(stage);
            if (at < 0) {
                throw refused({ tag: "unknown-stage", val: this.#stages.join(", ") });
            }
            if (reached !== undefined && this.#stages.indexOf(reached) > at) {
                throw refused({ tag: "backwards", val: reached });
            }
        }
        collected.stages.push(stage);
    }

    #claim(key: string): wit.ItemVerdict {
        const item = this.#items.get(key);
        if (item === undefined) {
            this.#items.set(key, { state: "held" });
            return { tag: "acquired" };
        }
        return item.state === "done" ? { tag: "done", val: item.reference } : { tag: "in-progress" };
    }

    #held(key: string): void {
        if (this.#items.get(key)?.state !== "held") {
            throw refused({ tag: "not-claimed", val: key });
        }
    }
}

interface Collected {
    rows: wit.Row[];
    notes: string[];
    stages: string[];
    recorded: Map<string, string | null>;
}

/** The error that QuickJS throws for a variant of the host's. */
function refused(
    payload: wit.DecisionError | wit.EnqueueError | wit.LedgerError | wit.ProgressError,
): Error {
    return Object.assign(new Error(payload.val), { payload });
}

/** Hexadecimal digits of the label: FNV-1a, run on for as many as are asked for. */
function digits(label: string, length: number): string {
    let text = "";
    let hash = 0xcbf2_9ce4_8422_2325n;
    for (let round = 0; text.length < length; round += 1) {
        for (const code of new TextEncoder().encode(`${round}:${label}`)) {
            hash = BigInt.asUintN(64, (hash ^ BigInt(code)) * 0x0000_0100_0000_01b3n);
        }
        text += hash.toString(16).padStart(16, "0");
    }
    return text.slice(0, length);
}
