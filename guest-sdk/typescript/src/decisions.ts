/** Answers that are decided once. The first recorded answer for a (work, slot) is the answer. */

import { Failure, HostError } from "./failure.ts";
import { host, refusal } from "./host.ts";
import { type Json, Misfit, read, type Schema, write } from "./json.ts";
import type * as wit from "./wit.ts";

/** A recorded answer. */
export interface Decision<Answer> {
    answer: Answer;
    /** Where it came from. A step that branches on it is no longer the same on a retry; it is for notes. */
    origin: wit.Origin;
}

/** A question to a model. */
export interface Question<Answer> {
    /** A model by the operator's name for it. The contract must ask for it. */
    model: string;
    /** Names the decision within the work. An answer is pinned to it, whatever the question becomes later. */
    slot: string;
    /** What the model is told to do with the input. Part of what makes two questions equal. */
    prompt: string;
    /** Raise it where the same text should be answered anew. */
    promptVersion?: string;
    /** From 0, which is the default, to what the model takes. */
    temperature?: number;
    /** What the question is about. Leave out what the answer does not depend on (ids, times). */
    input?: unknown;
    /** The JSON Schema that an answer must pass before it is recorded. */
    outputSchema?: Json;
    /** The type that a recorded answer is read into. */
    answer?: Schema<Answer>;
}

/**
 * The pinned answer; else a cached answer to an equal question; else ask the model, record, and pin. It is durable
 * before this returns. It throws a {@link DecisionError}.
 */
export function decide<Answer = unknown>(question: Question<Answer>): Decision<Answer> {
    const { slot, model, prompt, promptVersion = "", temperature = 0, input = null, outputSchema } = question;
    const asked: wit.Question = {
        slot,
        model,
        promptVersion,
        prompt,
        temperature,
        input: written(slot, input),
        outputSchema: outputSchema === undefined ? null : written(slot, outputSchema),
    };
    return typed(slot, called(slot, (decisions) => decisions.decide(asked)), question.answer);
}

/** The answer pinned to this slot of the work, where there is one. No model is asked. */
export function recall<Answer = unknown>(slot: string, answer?: Schema<Answer>): Decision<Answer> | undefined {
    const found = called(slot, (decisions) => decisions.recall(slot));
    return found === null ? undefined : typed(slot, found, answer);
}

/** Record an answer that the step found by itself (a rule). The first one wins, and it is returned. */
export function cache<Answer>(slot: string, found: Answer, answer?: Schema<Answer>): Decision<Answer> {
    const text = written(slot, found);
    return typed(slot, called(slot, (decisions) => decisions.cache(slot, text)), answer);
}

function written(slot: string, value: unknown): string {
    try {
        return write(value);
    } catch (error) {
        throw new DecisionError("unwritable", slot, (error as Error).message);
    }
}

function called<T>(slot: string, call: (decisions: wit.Host["decisions"]) => T): T {
    const { decisions } = host("deciding");
    try {
        return call(decisions);
    } catch (thrown) {
        const { tag, val } = refusal<wit.DecisionError>(thrown);
        throw new DecisionError(tag, slot, val);
    }
}

function typed<Answer>(slot: string, decision: wit.Decision, schema: Schema<Answer> | undefined): Decision<Answer> {
    try {
        return { answer: read(decision.answer, schema), origin: decision.origin };
    } catch (error) {
        throw error instanceof Misfit ? new DecisionError("misfit", slot, error.message) : error;
    }
}

/** `unwritable`: what the step gave is no JSON. `misfit`: the recorded answer passed the JSON Schema and is of another type. */
export type DecisionProblem = wit.DecisionError["tag"] | "unwritable" | "misfit";

/** Each problem's words, and what becomes of the work where the step does not catch it. */
const PROBLEMS: Record<DecisionProblem, [(reason: string) => string, "retry" | "review" | "reject"]> = {
    // A missing grant is the operator's to mend, and the work must still be there afterwards.
    "not-granted": [
        (reason) => `the model is not granted (${reason}); name it in the contract and in the operator's grants`,
        "review",
    ],
    // A model that fails now may answer later, and the attempt budget bounds the waiting.
    "model-failed": [(reason) => `the model failed (${reason}); try later, or go on without an answer`, "retry"],
    // Asking again may well give the same nonsense for more money.
    "invalid-answer": [(reason) => `the answer does not fit the schema (${reason}); look at the prompt`, "review"],
    // The step would ask the same at every attempt.
    "invalid-question": [(reason) => `the question is at fault (${reason}); correct the step`, "reject"],
    limit: [(reason) => `a limit was reached (${reason}); ask for less, or raise it`, "reject"],
    rejected: [(reason) => `${reason}; go on without it, or have the decision renewed`, "review"],
    unwritable: [(reason) => `what the step gave is no JSON (${reason}); correct the step`, "reject"],
    misfit: [(reason) => `the recorded answer is not what the step expects (${reason}); correct the schema`, "review"],
};

/** There is no answer that the step can use. */
export class DecisionError extends HostError {
    override readonly name = "DecisionError";

    constructor(
        readonly kind: DecisionProblem,
        readonly slot: string,
        readonly reason: string,
    ) {
        super(`deciding \`${slot}\`: ${PROBLEMS[kind][0](reason)}`);
    }

    override failure(): Failure {
        return Failure[PROBLEMS[this.kind][1]](this.message);
    }
}
