import { deepEqual, equal, throws } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { canonical, VOLATILE, without } from '../../nodes/Onceward/logic/canonical';
import { contentKey, eventKey, fieldsKey } from '../../nodes/Onceward/logic/identity';
import { ItemError } from '../../nodes/Onceward/logic/itemError';
import { ROOT } from '../world/parts';

/** The identity vectors that every language shares. */
function vectors<T>(file: string): Array<{ name: string; given: T; expect?: Record<string, unknown> }> {
	return JSON.parse(readFileSync(join(ROOT, 'tests', 'vectors', 'identity', file), 'utf8'));
}

describe('identity', () => {
	it('canonical_json_is_that_of_the_shared_vectors', () => {
		const cases = vectors<{ text: string }>('canonical.json').filter(({ expect }) => expect !== undefined);
		let same = 0;
		for (const { name, given, expect } of cases) {
			// n8n has read the JSON before the node sees it, and numbers beyond 2^53 are rounded by then.
			if (/\d{16}/.test(given.text)) continue;
			equal(canonical(JSON.parse(given.text)), expect?.canonical, name);
			same += 1;
		}
		equal(same > 10, true, `only ${same} vectors were compared`);
	});

	it('what_is_volatile_is_what_the_host_takes_for_it', () => {
		const [first] = vectors<{ revision: number }>('builtin.json');
		deepEqual(VOLATILE, first?.expect?.volatile);
		deepEqual(without({ a: [{ trace_id: 1, b: 2 }], received_at: 3 }, VOLATILE), { a: [{ b: 2 }] });
	});

	it('an_event_id_is_a_text_or_a_number_of_the_sender', () => {
		for (const [given, key] of [['m-1', 'm-1'], [71, '71'], [' x ', ' x ']] as const) equal(eventKey(given, '9'), key);
		for (const given of [undefined, null, '', '  ', {}, ['a'], true, NaN]) throws(() => eventKey(given, '9'), ItemError, String(given));
	});

	it('an_execution_id_is_no_event_id', () => {
		throws(() => eventKey('1234', '1234'), /execution's ID/);
		throws(() => eventKey(1234, '1234'), /execution's ID/);
	});

	it('fields_make_the_same_key_in_any_order_and_no_other', () => {
		const item = { body: { order: 7, who: { mail: 'a@b.example' } }, at: '10:00' };
		const key = fieldsKey(item, 'body.order, body.who.mail');
		equal(key, 'fields:{"body.order":7,"body.who.mail":"a@b.example"}');
		equal(fieldsKey({ ...item, at: '10:07' }, 'body.who.mail,body.order'), key);
		equal(fieldsKey({ body: { order: '7', who: item.body.who } }, 'body.order,body.who.mail') === key, false);
	});

	it('a_missing_or_empty_field_is_an_error_that_names_it', () => {
		for (const body of [{}, { id: '' }, { id: ' ' }, { id: null }]) throws(() => fieldsKey({ body }, 'body.id'), /"body\.id"/);
		throws(() => fieldsKey({ body: {} }, ' , '), /No field is named/);
		// A member that every object inherits is nobody's field.
		throws(() => fieldsKey({ body: {} }, 'body.constructor'), /missing/);
	});

	it('a_long_key_is_shown_by_its_hash', () => {
		const key = fieldsKey({ text: 'x'.repeat(5_000) }, 'text');
		equal(/^fields:sha256:[0-9a-f]{64}$/.test(key), true, key);
	});

	it('content_is_hashed_without_what_is_new_with_each_delivery', () => {
		const one = contentKey({ b: 1, a: [1.0], request_id: 'x', sent: 1 }, 'sent');
		equal(contentKey({ a: [1], b: 1, request_id: 'y', sent: 2 }, ' sent '), one);
		equal(contentKey({ a: [2], b: 1 }, '') === one, false);
		for (const empty of [{}, [], null, '', { request_id: 'x' }]) throws(() => contentKey(empty, ''), /empty/);
	});
});
