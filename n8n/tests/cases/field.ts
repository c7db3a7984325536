import { deepEqual, equal } from 'node:assert/strict';
import { it } from 'node:test';
import { about } from '../world/line';
import { claimed, stepped, type Place } from '../world/flows';
import { until } from '../world/parts';
import type { World } from '../world/world';
import type { Workflow } from '../world/workflow';
import type { Said } from './table';

/** The workflows of these cases. */
export function fieldFlows(place: Place): Workflow[] {
	return [
		claimed(place, 'buttons', { identifyBy: 'fields', fields: 'body.update_id' }),
		claimed(place, 'contents', { identifyBy: 'content', identityContent: '={{ $json.body }}', ignoredFields: 'clicked' }),
		stepped(place, 'mails', { eventId: '={{ $json.body.message_id }}' }),
		stepped(place, 'going-on', { wait: 0 }, { retryOnFail: true, maxTries: 5, waitBetweenTries: 100, onError: 'continueRegularOutput' }),
	];
}

/** Faults from the field, by their numbers. */
export function field(world: () => World): void {
	it('n01_one_post_that_makes_two_executions_is_one_effect_and_both_get_the_result', async () => {
		const { n8n, receiver } = world();
		const open = receiver.hold('n01');
		const first = n8n.deliver('claimed', { id: 'n01' });
		await until('the first execution is writing', () => receiver.count('n01') === 1 || undefined);
		const second = n8n.deliver('claimed', { id: 'n01' });
		await until('the second one waits', () => world().line.count(about('/claim/bulk', 'n01')) >= 2 || undefined);
		open();
		const answers = [await first, await second];
		deepEqual(answers.map(({ status }) => status), [200, 200]);
		deepEqual((answers[1]?.body as Said).result, (answers[0]?.body as Said).result);
		equal(receiver.count('n01'), 1);
	});

	it('n02_an_item_that_comes_several_times_in_a_run_is_done_once', async () => {
		const { line, n8n, receiver } = world();
		const [a, b] = [{ id: 'n02-a' }, { id: 'n02-b' }];
		equal((await n8n.deliver('claimed-each', { items: [a, b, a, a] })).status, 200);
		equal((await n8n.deliver('claimed-each', { items: [a, b, b] })).status, 200);
		deepEqual([receiver.count('n02-a'), receiver.count('n02-b')], [1, 1]);
		equal(line.count(about('/claim/bulk', 'n02-a')), 2, 'all items of a run go in one call');
	});

	it('n05_retries_of_a_node_that_continues_give_the_last_true_result', async () => {
		const { line, n8n, receiver } = world();
		line.loseReply(about('/invoke', 'n05'), 2);
		const answer = await n8n.deliver('going-on', { id: 'n05' });
		const said = answer.body as Said & { error?: unknown };
		deepEqual([answer.status, said.error, typeof said.result?.row_id], [200, undefined, 'string']);
		await until('it is sent', () => receiver.count('n05') === 1 || undefined);
		equal(receiver.requests('n05'), 1);
	});

	it('n07_a_mail_that_triggers_thirteen_runs_is_one_effect_and_twelve_counted_duplicates', async () => {
		const { host, n8n, receiver, token } = world();
		const mail = { id: 'n07', message_id: '<n07@mail.example>' };
		const answers = await Promise.all(Array.from({ length: 13 }, async () => await n8n.deliver('mails', mail)));
		const said = answers.map(({ body }) => (body as Said).onceward);
		equal(said.filter(({ duplicate }) => duplicate).length, 12);
		await until('it is sent', () => receiver.count('n07') === 1 || undefined);
		const counted = async () => (await host.api<{ work: { duplicates: number } }>(token, 'GET', `/v1/works/${said[0]?.workId}`)).work.duplicates;
		// Repeats are answered before they are counted.
		await until('all are counted', async () => (await counted()) >= 12 || undefined);
		deepEqual([receiver.requests('n07'), await counted()], [1, 12]);
	});

	it('n10_a_button_that_is_pressed_three_times_acts_once', async () => {
		const { n8n, receiver } = world();
		for (const update of [71, 71, 71, 72]) {
			equal((await n8n.deliver('buttons', { id: `n10-${update}`, update_id: update })).status, 200);
		}
		deepEqual([receiver.count('n10-71'), receiver.count('n10-72')], [1, 1]);
	});

	it('a_claim_whose_answer_is_lost_is_got_again_and_in_no_doubt', async () => {
		const { line, n8n, receiver } = world();
		line.loseReply(about('/claim/bulk', 'lost-claim'));
		equal((await n8n.deliver('claimed', { id: 'lost-claim' })).status, 200);
		equal(receiver.count('lost-claim'), 1);
	});

	it('an_extension_whose_answer_is_lost_is_the_same_one_when_it_is_said_again', async () => {
		const { line, n8n, receiver } = world();
		const before = line.count(({ path }) => path.endsWith('/extend/bulk'));
		line.loseReply(({ path }) => path.endsWith('/extend/bulk'));
		equal((await n8n.deliver('claimed', { id: 'lost-extension' })).status, 200);
		deepEqual([receiver.count('lost-extension'), line.count(({ path }) => path.endsWith('/extend/bulk'))], [1, before + 2]);
	});

	it('content_is_the_same_whatever_its_order_and_its_times', async () => {
		const { n8n, receiver } = world();
		const bodies = ['{"id":"co","n":1.0,"received_at":"10:00"}', '{"received_at":"10:07","n":1,"id":"co","clicked":2}'];
		for (const body of bodies) equal((await n8n.deliver('contents', body)).status, 200);
		equal(receiver.count('co'), 1);
	});
}
