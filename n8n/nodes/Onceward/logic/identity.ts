import { canonical, digest, without, VOLATILE } from './canonical';
import { ItemError } from './itemError';

/** The longest key that is shown as it is; what is longer is shown by its hash. The host takes 2 KiB. */
const SHOWN_LIMIT_CHARS = 512;

/**
 * The key of an event id: what the sender gave, as text.
 *
 * The id of the present execution is refused, since it is new with each retry and each redelivery, so that nothing would
 * ever be recognised by it.
 */
export function eventKey(id: unknown, executionId: string): string {
	const key = scalar(id);
	if (key === undefined || key.trim() === '') {
		throw new ItemError(
			'no-identity',
			`The event ID is ${id === undefined ? 'not there' : 'empty or no text'}`,
			'Set Event ID to what the sender gives the event, such as a message ID or an order number. If the sender gives none, identify the work by fields or content.',
		);
	}
	if (key === executionId) {
		throw new ItemError(
			'no-identity',
			"The event ID is this execution's ID",
			'Take an ID that the sender gave. An execution ID is new with every retry and redelivery, so that no repeat would be recognised.',
		);
	}
	return key;
}

/** The key of declared fields: their names and values, in the order of the names. */
export function fieldsKey(json: unknown, fields: string): string {
	const paths = names(fields);
	if (paths.length === 0) {
		throw new ItemError('no-identity', 'No field is named', 'Name the fields that make it the same work, such as body.orderId.');
	}
	const values: Record<string, unknown> = {};
	for (const path of paths) {
		const value = at(json, path);
		if (value === undefined || value === null || (typeof value === 'string' && value.trim() === '')) {
			throw new ItemError(
			'no-identity',
				`The field "${path}" is missing or empty`,
				'A missing field is no identity. Correct the item, or name fields that every item has.',
			);
		}
		values[path] = value;
	}
	return shown('fields', canonical(values));
}

/** The key of a whole value, without what is new with every delivery. */
export function contentKey(content: unknown, ignored: string): string {
	const kept = without(content, [...VOLATILE, ...names(ignored)]);
	const text = canonical(kept);
	if (['{}', '[]', 'null', '""'].includes(text)) {
		throw new ItemError('no-identity', 'The content is empty', 'An empty body is no identity. Correct the item, or use an event ID.');
	}
	return `content:${digest(text)}`;
}

function shown(kind: string, text: string): string {
	return text.length <= SHOWN_LIMIT_CHARS ? `${kind}:${text}` : `${kind}:sha256:${digest(text)}`;
}

function scalar(value: unknown): string | undefined {
	if (typeof value === 'string') return value;
	return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined;
}

function names(list: string): string[] {
	return [...new Set(list.split(',').map((name) => name.trim()))].filter((name) => name !== '').sort();
}

function at(value: unknown, path: string): unknown {
	return path.split('.').reduce<unknown>((part, name) => {
		const there = typeof part === 'object' && part !== null && Object.hasOwn(part, name);
		return there ? (part as Record<string, unknown>)[name] : undefined;
	}, value);
}
