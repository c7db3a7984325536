import type { IDataObject } from 'n8n-workflow';
import { contentKey, eventKey, fieldsKey } from '../logic/identity';
import { ItemError } from '../logic/itemError';
import { defined } from '../logic/outcome';
import { parsed, type Run } from '../run';

/**
 * How long a claim holds at first, in milliseconds. A claim whose answer is lost is nobody's: it must end soon, and it must not
 * have named an effect, else the work would be in doubt although nothing was done. Once the answer is there, the claim is
 * extended, and says its effect, under its token.
 */
const FIRST_LEASE_MS = 10_000;

/** How long a claim holds where the parameters do not say, in milliseconds. */
const LEASE_MS = 300_000;

/** What is claimed for an item. */
export function claimOf(run: Run, index: number): IDataObject {
	const options = run.options(index);
	const content = options.content === undefined || options.content === '' ? undefined : parsed('Content', options.content);
	return defined({
		scope: run.param<string>('scope', index),
		key: keyOf(run, index),
		content,
		occurred_at: text(options.occurredAt),
		window: windowOf(options.windowDays),
		response: options.response,
		lease_ms: Math.min(FIRST_LEASE_MS, leaseOf(options)),
		attempts_max: options.attemptsMax,
		give_up_after_ms: milliseconds(options.giveUpAfterSeconds),
	});
}

/** How a claim that was got is held for the moment. */
export function briefly({ work_id: work, token }: IDataObject): IDataObject {
	return { work, token, lease_ms: FIRST_LEASE_MS };
}

/** How a claim that was got is kept: for as long as was asked for, with the effect that is about to be done. */
export function extension(run: Run, index: number, { work_id: work, token }: IDataObject): IDataObject {
	return defined({ work, token, effect: text(run.param<string>('effect', index, '')), lease_ms: leaseOf(run.options(index)) });
}

function leaseOf(options: IDataObject): number {
	return milliseconds(options.leaseSeconds) ?? LEASE_MS;
}

function keyOf(run: Run, index: number): string {
	switch (run.param<string>('identifyBy', index)) {
		case 'fields':
			return fieldsKey(run.items[index]?.json, run.param<string>('fields', index));
		case 'content':
			return contentKey(run.json('identityContent', index), run.param<string>('ignoredFields', index, ''));
		default:
			return eventKey(run.param<unknown>('eventId', index), run.context.getExecutionId());
	}
}

function windowOf(days: unknown): IDataObject | undefined {
	if (days === undefined || days === 0) return undefined;
	if (typeof days !== 'number' || !(days > 0)) {
		throw new ItemError('bad-parameter', `"Remember for" is ${String(days)}`, 'Give a number of days; 0 is for ever.');
	}
	return { duration: Math.ceil(days * 24 * 60 * 60) };
}

function milliseconds(seconds: unknown): number | undefined {
	return typeof seconds === 'number' && seconds > 0 ? Math.ceil(seconds * 1_000) : undefined;
}

function text(value: unknown): string | undefined {
	return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
