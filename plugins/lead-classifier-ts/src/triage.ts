/** What the model is asked, and what it answers; `triage.schema.json` of the Rust plugin says the second one to the host. */

import * as v from "valibot";
import type { Lead } from "./lead.ts";

export const Triage = v.object({
    type: v.picklist(["new-business", "support", "spam", "other"]),
    priority: v.picklist(["low", "normal", "high"]),
    summary: v.string(),
    reply: v.string(),
    confidence: v.number(),
});

export type Triage = v.InferOutput<typeof Triage>;

/** The message's id and the address are left out: the answer does not depend on them. */
export function asked(lead: Lead) {
    return { channel: lead.channel ?? null, name: lead.contact.name ?? null, text: lead.text };
}
