/** A step: its contract, and the function from one work to one outcome. */

import { type Contract, declaration } from "./contract.ts";
import { Failure, HostError } from "./failure.ts";
import { host } from "./host.ts";
import { Misfit, read, type Schema, write } from "./json.ts";
import type * as wit from "./wit.ts";

/** One thing to be done once, with its payload read. */
export interface Work<Input> extends Omit<wit.Work, "eventId" | "payload"> {
    /** The provider's message id, where there is one. */
    eventId: string | undefined;
    /** The event's payload, or the output of the step before this one in a flow. */
    payload: Input;
}

/** The work, or a chunk of it, is done. */
export type Outcome<Output> =
    | { kind: "done"; output: Output; needsReview: string | undefined }
    | { kind: "continue"; cursor: string };

/** Finished, with this output: what a duplicate gets, and the next step's payload. A reason asks a person to look; it stops nothing. */
export function done<Output>(output: Output, needsReview?: string): Outcome<Output> {
    return { kind: "done", output, needsReview };
}

/** A chunk is done and commits; the step runs again, and gets the cursor by `loadCursor`. */
export function continueFrom(cursor: string): Outcome<never> {
    return { kind: "continue", cursor };
}

/** A contract with what does the work. */
export interface Definition<Input, Output> extends Contract {
    /** The type that a payload is read into. One that does not fit goes to a person, with the place. */
    input?: Schema<Input>;
    /**
     * Handle one work. The host calls it in a fresh instance each time, and may do so again at any moment: a retry gets
     * the same time, numbers, ids and decisions. Throw a {@link Failure} where it is not done. Anything else that is
     * thrown is a failed attempt. It can't be asynchronous.
     */
    handle(work: Work<Input>): Outcome<Output>;
}

/** What {@link step} makes: what the host calls. */
export interface Step<Output> extends wit.Guest {
    /** One attempt, for tests. It throws what the step throws. */
    attempt(work: wit.Work): Outcome<Output>;
}

/** Declare a step. A step's module exports it as its default. */
export function step<Input = unknown, Output = unknown>(definition: Definition<Input, Output>): Step<Output> {
    const attempt = (work: wit.Work): Outcome<Output> => {
        const { payload, eventId, ...rest } = work;
        let input: Input;
        try {
            input = read(payload, definition.input);
        } catch (error) {
            throw error instanceof Misfit ? Failure.review(`reading the payload: ${error.message}`) : error;
        }
        const outcome: unknown = definition.handle({ ...rest, eventId: eventId ?? undefined, payload: input });
        if (outcome instanceof Promise) {
            throw new Error("`handle` gave a promise, and nothing can be waited for in a step; every function of the host answers at once");
        }
        if (!isOutcome(outcome)) {
            throw new Error("`handle` gave no outcome; return `done(output)` or `continueFrom(cursor)`");
        }
        return outcome as Outcome<Output>;
    };
    return {
        attempt,
        contract: () => declaration(definition),
        handle(work) {
            try {
                return intoWit(attempt(work));
            } catch (thrown) {
                throw failureOf(thrown).intoWit();
            }
        },
    };
}

function isOutcome(outcome: unknown): boolean {
    const kind = (outcome as { kind?: unknown } | null | undefined)?.kind;
    return kind === "done" || kind === "continue";
}

function intoWit(outcome: Outcome<unknown>): wit.Outcome {
    if (outcome.kind === "continue") {
        return { tag: "continue", val: outcome.cursor };
    }
    let output: string;
    try {
        output = write(outcome.output);
    } catch (error) {
        throw Failure.review(`the output cannot be written as JSON: ${(error as Error).message}`);
    }
    return { tag: "done", val: { output, needsReview: outcome.needsReview ?? null } };
}

/** What becomes of the work. What is no failure and no error of the host is noted, and traps. */
export function failureOf(thrown: unknown): Failure {
    if (thrown instanceof Failure) {
        return thrown;
    }
    if (thrown instanceof HostError) {
        return thrown.failure();
    }
    host("noting an error").journal.note(`panic: ${told(thrown)}`);
    throw thrown;
}

/** The functions that are told at most, from the innermost on. */
const FUNCTIONS_MAX = 6;

/** An error's words and the step's functions that it happened in. */
function told(thrown: unknown): string {
    if (!(thrown instanceof Error)) {
        return `${String(thrown)} was thrown, which is no Error`;
    }
    const names = (thrown.stack ?? "")
        .split("\n")
        .map((line) => /^\s*at (?:async )?([^\s(<][^\s(]*) \(/.exec(line)?.[1])
        .filter((name) => name !== undefined && !OWN.has(name));
    const functions = names.slice(0, FUNCTIONS_MAX).join(", called by ");
    const words = `${thrown.name}: ${thrown.message}`;
    return functions === "" ? words : `${words}; in ${functions}`;
}

/** Functions of this package that are in every trace, and say nothing about the step. */
const OWN = new Set(["attempt", "handle", "Error"]);
