import { deepEqual, equal, ok } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { about } from '../world/line';
import { claimed, claimedEach, split, stepped, steppedEach, type Place } from '../world/flows';
import { until } from '../world/parts';
import type { World } from '../world/world';
import { onceward, webhook, workflow, type Workflow } from '../world/workflow';

/** Retry On Fail, as often and as soon as n8n does it. */
export const RETRIED = { retryOnFail: true, maxTries: 5, waitBetweenTries: 200 };

/** What an answer of the flows says. */
export interface Said {
	result?: Record<string, unknown>;
	onceward: { duplicate: boolean; verdict: string; workId: string };
}

/** The workflows of these cases. */
export function tableFlows(place: Place): Workflow[] {
	return [
		claimed(place, 'claimed'),
		stepped(place, 'stepped'),
		claimedEach(place, 'claimed-each', { wait: 0 }, RETRIED),
		steppedEach(place, 'stepped-each', { wait: 1 }, RETRIED),
		workflow(
			'echoed',
			{
				Webhook: webhook('echoed'),
				Split: split(),
				Run: onceward(
					place.credential,
					{ resource: 'step', operation: 'run', step: 'echo', eventId: '={{ $json.id }}', source: 'test', payload: '={{ $json }}', wait: 30 },
					RETRIED,
				),
			},
			[
				['Webhook', 0, 'Split'],
				['Split', 0, 'Run'],
			],
		),
	];
}

/** n8n's own duplicates, as they were measured without the node, and what becomes of them with it. */
export function table(world: () => World): void {
	for (const path of ['claimed', 'stepped']) describe(`by a ${path === 'claimed' ? 'claim' : 'step'}`, () => twice(world, path));

	describe('retry on fail', () => {
		it('three_items_of_which_the_second_fails_once_are_claimed_and_sent_once_each', async () => {
			const { line, n8n, receiver } = world();
			const held = await heldByAnother(world(), 'claimed-each', 'rt-2');
			const answer = n8n.deliver('claimed-each', { items: ['rt-1', 'rt-2', 'rt-3'].map((id) => ({ id })) });
			await until('the first try has failed', () => line.count(({ body }) => body.includes('stopped before it acted')) > 0 || undefined);
			await held.letGo();
			equal((await answer).status, 200);
			deepEqual(['rt-1', 'rt-2', 'rt-3'].map((id) => receiver.count(id)), [1, 1, 1]);
			ok(line.count(about('/claim/bulk', 'rt-1')) >= 2, 'it was tried again');
		});

		it('three_items_of_which_the_second_gets_no_answer_are_run_and_sent_once_each', async () => {
			const { line, n8n, receiver } = world();
			line.loseReply(about('/invoke', 'rs-2'), 8);
			equal((await n8n.deliver('stepped-each', { items: ['rs-1', 'rs-2', 'rs-3'].map((id) => ({ id })) })).status, 200);
			for (const id of ['rs-1', 'rs-2', 'rs-3']) await until(`${id} is sent`, () => receiver.count(id) === 1 || undefined);
			ok(line.count(about('/invoke', 'rs-1')) >= 2, 'n8n ran all items again');
			deepEqual(['rs-1', 'rs-2', 'rs-3'].map((id) => receiver.requests(id)), [1, 1, 1]);
		});

		for (const [named, error] of [['null', null], ['false', false], ['text', 'none']] as const) {
			it(`a_first_item_with_a_member_error_of_${named}_is_no_failure_and_sent_once`, async () => {
				const { line, n8n, receiver } = world();
				const id = `er-${named}`;
				equal((await n8n.deliver('claimed-each', { items: [{ id, error }] })).status, 200);
				deepEqual([receiver.count(id), line.count(about('/claim/bulk', id))], [1, 1]);
			});

			it(`a_result_with_a_member_error_of_${named}_is_no_failure`, async () => {
				const { line, n8n } = world();
				const id = `eo-${named}`;
				const answer = await n8n.deliver('echoed', { items: [{ id, error }] });
				deepEqual([answer.status, (answer.body as Said).result], [200, { id, error }]);
				equal(line.count(about('/invoke', id)), 1);
			});
		}
	});
}

function twice(world: () => World, path: string): void {
	const one = (id: string) => `${path}-${id}`;
	const sent = async (id: string) => await until(`${id} is sent`, () => world().receiver.count(id) > 0 || undefined);

	it('twenty_simultaneous_deliveries_of_one_key_send_once', async () => {
		const { n8n, receiver } = world();
		const answers = await Promise.all(Array.from({ length: 20 }, async () => await n8n.deliver(path, { id: one('same') })));
		await sent(one('same'));
		deepEqual(answers.map(({ status }) => status), Array(20).fill(200));
		equal(receiver.count(one('same')), 1);
		equal(answers.filter(({ body }) => !(body as Said).onceward.duplicate).length, 1);
		equal(new Set(answers.map(({ body }) => JSON.stringify((body as Said).result))).size, 1, 'all get the first result');
	});

	it('twenty_keys_at_once_each_delivered_twice_are_sent_once_each', async () => {
		const { n8n, receiver } = world();
		const ids = Array.from({ length: 20 }, (_, at) => one(`many-${at}`));
		const answers = await Promise.all([...ids, ...ids].map(async (id) => await n8n.deliver(path, { id })));
		for (const id of ids) await sent(id);
		deepEqual(answers.map(({ status }) => status), Array(40).fill(200));
		deepEqual(ids.filter((id) => receiver.count(id) !== 1), []);
	});

	it('an_event_whose_target_was_down_is_sent_when_it_comes_again', async () => {
		const { n8n, receiver } = world();
		receiver.fault(one('down'), 'refuse');
		const first = await n8n.deliver(path, { id: one('down') });
		// A host tries again by itself; n8n's own write has to be delivered again, and its sender is told so.
		equal(first.status, path === 'stepped' ? 200 : 500);
		equal((await n8n.deliver(path, { id: one('down') })).status, 200);
		await sent(one('down'));
		deepEqual([receiver.count(one('down')), receiver.requests(one('down'))], [1, 2]);
	});

	it('a_discarded_duplicate_is_answered_200_with_the_first_result', async () => {
		const { n8n, receiver } = world();
		const [first, again] = [await n8n.deliver(path, { id: one('dup') }), await n8n.deliver(path, { id: one('dup') })];
		await sent(one('dup'));
		const [said, repeated] = [first.body as Said, again.body as Said];
		deepEqual([first.status, again.status, receiver.count(one('dup'))], [200, 200, 1]);
		deepEqual([said.onceward.duplicate, repeated.onceward.duplicate], [false, true]);
		deepEqual(repeated.result, said.result);
	});
}

/** A key that somebody else is at. */
export async function heldByAnother({ host, token }: World, scope: string, key: string, effect?: string) {
	const asked = { scope, key, lease_ms: 600_000, ...(effect === undefined ? {} : { effect }) };
	const { work_id: work, token: claim } = await host.api<{ work_id: string; token: number }>(token, 'POST', '/v1/primitives/claim', asked);
	const end = async (outcome: unknown) => await host.api(token, 'POST', '/v1/primitives/release', { work, token: claim, outcome });
	return {
		work,
		record: async (done: string, reference: string) =>
			await host.api(token, 'POST', '/v1/primitives/record-effect', { work, token: claim, effect: done, reference }),
		letGo: async () => await end({ retry: { cause: 'it was not done', due_in_ms: 0 } }),
		finish: async (output: unknown) => await end({ done: { output } }),
	};
}
