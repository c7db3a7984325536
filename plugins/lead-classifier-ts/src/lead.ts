/**
 * The lead that the steps of the lead flow hand on, as `plugins/lead` says it. Only `source` and `message_id` are
 * required, since they make the lead's identity. Members that are not named here are not handed on.
 */

import * as v from "valibot";

// An absent option is written as nothing, and null is read as absent.
const text = v.nullish(v.string());

const bytes = v.pipe(v.number(), v.integer(), v.minValue(0));

const Attachment = v.object({ name: v.string(), type: text, size: v.nullish(bytes), sha256: text, address: text });

const Contact = v.object({ name: text, email: text, phone: text, country: text });

export const Lead = v.object({
    source: v.string(),
    message_id: v.string(),
    sent_at: text,
    channel: text,
    conversation: text,
    contact: v.optional(Contact, {}),
    text: v.optional(v.string(), ""),
    attachments: v.optional(v.array(Attachment), []),
    enriched: v.nullish(v.boolean()),
    type: text,
    priority: text,
    summary: text,
    reply: text,
    confidence: v.nullish(v.number()),
});

export type Lead = v.InferOutput<typeof Lead>;

/** What is written of it: nothing of what is absent, and no empty list. */
export function compact(lead: Lead): Lead {
    const present = <T extends object>(of: T) =>
        Object.fromEntries(Object.entries(of).filter(([, value]) => value !== null && value !== undefined)) as T;
    const { attachments, ...rest } = present(lead);
    const whole = { ...rest, contact: present(lead.contact) };
    return (attachments.length === 0 ? whole : { ...whole, attachments: attachments.map(present) }) as Lead;
}
