import { deepEqual, equal, ok } from 'node:assert/strict';
import { it } from 'node:test';
import { about } from '../world/line';
import { claimed, stepped, type Place } from '../world/flows';
import { until } from '../world/parts';
import type { World } from '../world/world';
import type { Workflow } from '../world/workflow';
import type { Said } from './table';

/** A lease that ends soon after n8n has been killed. */
const SHORT = { leaseSeconds: 3 };

/** The workflows of these cases. */
export function crashFlows(place: Place): Workflow[] {
	return [
		claimed(place, 'doubtful', { options: SHORT }),
		claimed(place, 'taken-over', { effect: '', options: SHORT, wait: 60 }),
		stepped(place, 'impatient', { wait: 0 }),
	];
}

/** What is killed in the middle, and what a person does then. */
export function crashes(world: () => World): void {
	it('a_host_that_is_killed_while_n8n_writes_takes_its_record_when_it_is_back', async () => {
		const { host, n8n, receiver } = world();
		const open = receiver.hold('hk-write');
		const answer = n8n.deliver('claimed', { id: 'hk-write' });
		await until('n8n is writing', () => receiver.count('hk-write') === 1 || undefined);
		await host.kill();
		open();
		await host.start();
		equal((await answer).status, 200);
		const again = await n8n.deliver('claimed', { id: 'hk-write' });
		deepEqual([(again.body as Said).onceward.duplicate, receiver.count('hk-write')], [true, 1]);
	});

	it('a_host_that_is_killed_while_it_is_asked_is_asked_again_when_it_is_back', async () => {
		const { host, line, n8n, receiver } = world();
		const open = line.hold(about('/invoke', 'hk-ask'));
		const answer = n8n.deliver('stepped', { id: 'hk-ask' });
		await until('the host was asked', () => line.count(about('/invoke', 'hk-ask')) === 1 || undefined);
		await host.kill();
		open('lose');
		await host.start();
		const { status, body } = await answer;
		deepEqual([status, typeof (body as Said).result?.row_id], [200, 'string']);
		ok(line.count(about('/invoke', 'hk-ask')) >= 2);
		await until('it is sent', () => receiver.count('hk-ask') === 1 || undefined);
		equal((await n8n.deliver('stepped', { id: 'hk-ask' })).status, 200);
		equal(receiver.count('hk-ask'), 1);
	});

	it('an_execution_that_a_person_retries_has_a_new_id_and_the_same_effect', async () => {
		const { line, n8n, receiver, workflows } = world();
		line.loseReply(about('/invoke', 'retried'));
		equal((await n8n.deliver('impatient', { id: 'retried' })).status, 500);
		const all = async () => await n8n.executions(workflows.get('impatient') ?? '');
		const [first] = await all();
		equal(first?.status, 'error');
		await n8n.retry(first?.id ?? '');
		const retried = await until('the retry has ended', async () => (await all()).find(({ status }) => status === 'success'));
		ok(retried.id !== first?.id);
		await until('it is sent', () => receiver.count('retried') === 1 || undefined);
		deepEqual([receiver.requests('retried'), line.count(about('/invoke', 'retried'))], [1, 2]);
	});

	it('an_n8n_that_is_killed_in_the_middle_leaves_one_effect_each', async () => {
		const { line, n8n, receiver } = world();
		// One n8n is killed over three executions: in the middle of a write, before a write, and over a step.
		const openWrite = receiver.hold('nk-doubt');
		const openClaim = line.hold(about('/claim/bulk', 'nk-free'));
		const openStep = line.hold(about('/invoke', 'nk-step'));
		const lost = [
			n8n.deliver('doubtful', { id: 'nk-doubt' }),
			n8n.deliver('taken-over', { id: 'nk-free' }),
			n8n.deliver('stepped', { id: 'nk-step' }),
		].map(async (answer) => await answer.then(() => 'answered', () => 'lost'));
		await until('all are in the middle', () => (receiver.count('nk-doubt') === 1 && receiver.count('nk-step') === 1 && line.count(about('/claim/bulk', 'nk-free')) === 1) || undefined);
		await n8n.kill();
		[openWrite, openClaim, openStep].forEach((open) => open());
		deepEqual(await Promise.all(lost), ['lost', 'lost', 'lost']);
		await n8n.launch();
		await doubtful(world());
		const [free, stepped] = [await n8n.deliver('taken-over', { id: 'nk-free' }), await n8n.deliver('stepped', { id: 'nk-step' })];
		deepEqual([free.status, receiver.count('nk-free')], [200, 1]);
		deepEqual([stepped.status, (stepped.body as Said).onceward.duplicate, receiver.count('nk-step')], [200, true, 1]);
	});
}

/** It may have been written: nobody writes again, a person finds out, and then everybody gets the result. */
async function doubtful({ host, n8n, receiver, token }: World): Promise<void> {
	equal((await n8n.deliver('doubtful', { id: 'nk-doubt' })).status, 500);
	const works = await until('the work is in doubt', async () => {
		const found = await host.api<{ works: Array<{ work_id: string }> }>(token, 'GET', '/v1/works?state=in-doubt');
		return found.works.length > 0 ? found.works : undefined;
	});
	const said = { as: 'done', output: { found: 'in the CRM' }, why: 'seen in the CRM' };
	await host.api(token, 'POST', `/v1/works/${works[0]?.work_id}/resolve`, said);
	const after = await n8n.deliver('doubtful', { id: 'nk-doubt' });
	deepEqual([after.status, (after.body as Said).result, receiver.count('nk-doubt')], [200, { found: 'in the CRM' }, 1]);
}
