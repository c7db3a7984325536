/**
 * The host's interfaces as QuickJS sees them: the contract between a step and its host, in one place.
 *
 * The source is `wit/since_v0.1.0/*.wit`, which says what each of them means. Records have camel-case members, an
 * absent option is `null`, a variant is `{ tag, val }`, an enum its case's name, and a `result` is returned or thrown.
 * Numbers are JavaScript's: a `u64` keeps its 53 highest bits.
 */

/** A variant's case with a value. */
export type Case<Tag extends string, Value> = { tag: Tag; val: Value };

export type Identity = { tag: "event-key" } | Case<"business-key", string[]> | { tag: "content" };
export type Window = { tag: "for-ever" } | Case<"duration", number> | Case<"until-marker", string>;
export type Response = "original" | "acknowledgement" | "error";
export type Tier = "key" | "field" | "lookup" | "blind";
export type Mode = "recorded" | "read-only";

export interface Normalisation {
    volatile: string[];
    urls: string[];
    times: string[];
    trimmed: string[];
    contentFields: string[] | null;
}

export interface Declaration {
    name: string;
    version: number;
    identity: Identity;
    normalisation: Normalisation;
    window: Window;
    response: Response;
    mode: Mode;
    destinations: { name: string; weakest: Tier }[];
    models: string[];
}

export interface Work {
    id: string;
    key: string;
    namespace: string;
    attempt: number;
    source: string;
    eventId: string | null;
    payload: string;
}

export type Outcome =
    | Case<"done", { output: string; needsReview: string | null }>
    | Case<"continue", string>;

export type Failure =
    | Case<"retry", { reason: string; afterMs: number | null }>
    | Case<"review", string>
    | Case<"reject", string>;

/** What a step exports. `handle` throws a {@link Failure}. */
export interface Guest {
    contract(): Declaration;
    handle(work: Work): Outcome;
}

export type Origin = "asked" | "cached" | "pinned";

export interface Question {
    slot: string;
    model: string;
    promptVersion: string;
    prompt: string;
    temperature: number;
    input: string;
    outputSchema: string | null;
}

export interface Decision {
    answer: string;
    origin: Origin;
}

export type DecisionError = Case<
    "not-granted" | "model-failed" | "invalid-answer" | "invalid-question" | "limit" | "rejected",
    string
>;

export interface Row {
    destination: string;
    slot: string;
    effectVersion: number;
    payload: string;
    orderingKey: string | null;
    approval: { reason: string; expiresAfter: number | null } | null;
    receiptStep: string | null;
}

export type EnqueueError = Case<"not-granted" | "conflict" | "invalid-row" | "limit", string>;

export type ItemVerdict = { tag: "acquired" } | Case<"done", string | null> | { tag: "in-progress" };
export type LedgerError = Case<"not-claimed" | "invalid-key" | "limit", string>;
export type ProgressError = Case<"unknown-stage" | "backwards", string>;

/** What the host does for a step. Errors are thrown, as an `Error` whose `payload` is one of the variants above. */
export interface Host {
    context: {
        occurredAt(): number;
        seed(label: string): number;
        deriveId(label: string): string;
    };
    decisions: {
        recall(slot: string): Decision | null;
        cache(slot: string, answer: string): Decision;
        decide(question: Question): Decision;
    };
    journal: {
        note(text: string): void;
    };
    ledger: {
        claim(items: string[]): ItemVerdict[];
        recordEffect(effect: { item: string; externalReference: string | null }): void;
        release(item: string): void;
    };
    outbox: {
        enqueue(row: Row): string;
    };
    progress: {
        advance(stage: string): void;
        loadCursor(): string | null;
    };
}
