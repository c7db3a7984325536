/** What a component's entry imports first: the real host, and the language's own clock, chance and console. */

import context from "onceward:step/context@0.1.0";
import decisions from "onceward:step/decisions@0.1.0";
import journal from "onceward:step/journal@0.1.0";
import ledger from "onceward:step/ledger@0.1.0";
import outbox from "onceward:step/outbox@0.1.0";
import progress from "onceward:step/progress@0.1.0";
import * as host from "./host.ts";
import * as prelude from "./prelude.ts";
import type { Step } from "./step.ts";
import type { Guest } from "./wit.ts";

prelude.install();

/** What the component exports. The host is there only while a work is handled. */
export function component(step: Step<unknown>): Guest {
    return {
        contract: () => step.contract(),
        handle(work) {
            host.install({ context, decisions, journal, ledger, outbox, progress });
            return step.handle(work);
        },
    };
}
