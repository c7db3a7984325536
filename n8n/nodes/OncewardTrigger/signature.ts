import { createHash, createHmac, timingSafeEqual } from 'crypto';

/** The headers of a request, as Node.js gives them. */
export type Headers = Record<string, string | string[] | undefined>;

/** What a delivery proves: its id, or why it is refused. */
export type Proof = { ok: true; id: string; signedAt?: string } | { ok: false; status: 400 | 401; why: string };

/** How a secret of Standard Webhooks begins. */
const SECRET_PREFIX = 'whsec_';

/** How a signature begins that is understood here; others are passed over. */
const VERSION = 'v1,';

/**
 * Standard Webhooks 1.0 with symmetric signatures: signed is `id.timestamp.body`, to the byte. The time may lie so many
 * seconds from ours, to both sides, so that an old request can't be sent again for ever.
 */
export function bySignature(
	headers: Headers,
	body: Buffer,
	secret: string,
	{ nowMs, toleranceS }: { nowMs: number; toleranceS: number },
): Proof {
	const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => one(headers, name));
	if (id === undefined || timestamp === undefined || signatures === undefined) {
		return refused('the headers webhook-id, webhook-timestamp and webhook-signature must each be there once');
	}
	if (!/^\d{1,15}$/.test(timestamp)) return refused('webhook-timestamp is no time in Unix seconds');
	const key = Buffer.from(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret, 'base64');
	if (key.length === 0) return refused('the Webhook Secret of the credential is empty or not base64');
	const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
	const given = signatures.split(' ').filter((signature) => signature.startsWith(VERSION));
	// Each of them is compared, so that the time says nothing about which one fits.
	const fitting = given.filter((signature) => equal(Buffer.from(signature.slice(VERSION.length), 'base64'), expected));
	if (fitting.length === 0) return refused('no signature holds');
	const signedMs = Number(timestamp) * 1_000;
	if (Math.abs(nowMs - signedMs) > toleranceS * 1_000) {
		return refused(`it was signed more than ${toleranceS} seconds from now; look at both clocks`);
	}
	return { ok: true, id, signedAt: new Date(signedMs).toISOString() };
}

/** The Authorization header that the host's destination is configured with, and the row's id in its key header. */
export function byHeader(headers: Headers, secret: string): Proof {
	if (secret === '') return refused('the Webhook Secret of the credential is empty');
	const given = one(headers, 'authorization');
	if (given === undefined || !equal(Buffer.from(given), Buffer.from(secret))) {
		return refused('the Authorization header is not the one that the credential holds');
	}
	const id = one(headers, 'idempotency-key');
	if (id === undefined || id === '') return { ok: false, status: 400, why: 'there is no Idempotency-Key, by which a repeat is known' };
	return { ok: true, id };
}

/** Whether two values are equal, in a time that does not tell where they differ. */
function equal(one: Buffer, other: Buffer): boolean {
	const hash = (value: Buffer) => createHash('sha256').update(value).digest();
	return timingSafeEqual(hash(one), hash(other));
}

/** A header that is there once. */
function one(headers: Headers, name: string): string | undefined {
	const value = headers[name];
	return typeof value === 'string' ? value : undefined;
}

function refused(why: string): Proof {
	return { ok: false, status: 401, why };
}
