/** Does what its payload says, one act after the other, and gives what each of them gave. */

import {
    content,
    context,
    continueFrom,
    decide,
    decisions,
    done,
    enqueue,
    Failure,
    journal,
    ledger,
    type Outcome,
    progress,
    seconds,
    step,
} from "onceward-guest";

type Act = (arg: string) => unknown;

const ACTS: Record<string, Act> = {
    ask: (slot) => decide({ model: "oracle", slot, prompt: "What?", input: slot }).answer,
    recall: (slot) => decisions.recall(slot)?.answer ?? "nothing",
    cache: (slot) => decisions.cache(slot, "by rule").answer,
    send: (text) => enqueue({ destination: "crm", slot: "deal", payload: { text } }).length,
    "send-elsewhere": (destination) => enqueue({ destination, slot: "deal", payload: null }),
    "send-no-json": () => enqueue({ destination: "crm", slot: "deal", payload: undefined }),
    hold: (reason) =>
        enqueue({
            destination: "crm",
            slot: "held",
            payload: [1],
            effectVersion: 2,
            orderingKey: "c-1",
            approval: { reason, expiresAfterSeconds: 60 },
        }).length,
    "go-on": (receiptStep) =>
        enqueue({ destination: "crm", slot: "on", payload: 1, receiptStep, receiptStepIsOptional: true }).length,
    claim: (keys) => ledger.claim(keys.split(",")).map((verdict) => verdict.state),
    reference: (key) => ledger.claim([key]).map((it) => (it.state === "done" ? it.externalReference : it.state)),
    record: (key) => ledger.recordEffect(key, `r-${key}`),
    release: (key) => ledger.release(key),
    stage: (stage) => progress.advance(stage),
    "stage-or-note": (stage) => progress.advanceOrNote(stage),
    cursor: () => progress.loadCursor() ?? "none",
    note: (text) => journal.note(text),
    print: (text) => console.log(text, { n: 1 }),
    warn: (text) => console.warn(text),
    time: () => [context.occurredAtMs(), Date.now(), new Date().getTime(), new Date(5).getTime(), Date.parse("1970-01-01T00:00:01Z")],
    random: () => [Math.random(), Math.random()],
    seed: (label) => context.seed(label),
    id: (label) => context.deriveId(label),
    retry: (reason) => {
        throw Failure.retry(reason, 5_000);
    },
    review: (reason) => {
        throw Failure.review(reason);
    },
    reject: (reason) => {
        throw Failure.reject(reason);
    },
    crash: (words) => crashes(words),
    wait: () => Promise.resolve(1),
};

function crashes(words: string): never {
    throw new RangeError(words);
}

export default step<unknown, unknown>({
    name: "acts",
    version: 3,
    identity: content,
    window: seconds(3_600),
    response: "acknowledgement",
    volatile: ["at"],
    urls: ["/page"],
    times: ["/asked"],
    trimmed: ["/text"],
    destinations: ["crm"],
    keyedDestinations: ["billing"],
    models: ["oracle"],
    handle({ payload }): Outcome<unknown> {
        const said: unknown[] = [];
        for (const act of (payload as { acts: string[] }).acts) {
            const [verb = "", ...args] = act.split(" ");
            const arg = args.join(" ");
            if (verb === "more") {
                return continueFrom(arg);
            }
            if (verb === "asynchronous") {
                return Promise.resolve() as never;
            }
            said.push(ACTS[verb]?.(arg) ?? null);
        }
        return done(said);
    },
});
