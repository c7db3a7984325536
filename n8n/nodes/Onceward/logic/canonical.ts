import { createHash } from 'crypto';

/**
 * Members that say when and how often something was delivered, and not what it is. They are left out at every depth, since
 * a repeat carries fresh ones. The host has the same list for payloads.
 */
export const VOLATILE: readonly string[] = [
	'attempt',
	'attempt_number',
	'attemptNumber',
	'delivered_at',
	'deliveredAt',
	'delivery_attempt',
	'deliveryAttempt',
	'delivery_id',
	'deliveryId',
	'execution_id',
	'executionId',
	'received_at',
	'receivedAt',
	'request_id',
	'requestId',
	'retry_count',
	'retryCount',
	'run_id',
	'runId',
	'span_id',
	'spanId',
	'trace_id',
	'traceId',
	'traceparent',
	'tracestate',
];

/** JSON with its members in the order of RFC 8785, so that two spellings of one value are one text. */
export function canonical(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
	if (typeof value === 'object' && value !== null) {
		const members = Object.entries(value)
			.filter(([, member]) => member !== undefined)
			.sort(([one], [other]) => (one < other ? -1 : 1))
			.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
		return `{${members.join(',')}}`;
	}
	if (typeof value === 'number' && !Number.isFinite(value)) {
		throw new TypeError(`${value} has no form in JSON`);
	}
	// JSON has no -0, and `JSON.stringify` writes it as 0.
	return JSON.stringify(value ?? null);
}

/** The value without these members, at every depth. */
export function without(value: unknown, names: readonly string[]): unknown {
	if (Array.isArray(value)) return value.map((element) => without(element, names));
	if (typeof value !== 'object' || value === null) return value;
	const kept = Object.entries(value).filter(([name]) => !names.includes(name));
	return Object.fromEntries(kept.map(([name, member]) => [name, without(member, names)]));
}

/** A text's SHA-256, in hexadecimal digits. */
export function digest(text: string): string {
	return createHash('sha256').update(text, 'utf8').digest('hex');
}
