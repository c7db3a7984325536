import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { it } from 'node:test';
import { about } from '../world/line';
import { claim, claimed, claimedEach, record, run, type Place } from '../world/flows';
import { until } from '../world/parts';
import type { World } from '../world/world';
import { meet, webhook, workflow, write, type Workflow } from '../world/workflow';
import { heldByAnother, type Said } from './table';

/** The workflows of these cases. */
export function refusalFlows(place: Place): Workflow[] {
	return [
		claimed(place, 'checked', { options: { content: '={{ $json.body }}', leaseSeconds: 120 } }),
		claimed(place, 'by-execution', { eventId: '={{ $execution.id }}' }),
		claimed(place, 'patient', { wait: 120 }),
		claimedEach(place, 'patient-each', { wait: 120 }, {}),
		claimed(place, 'hasty', { options: { leaseSeconds: 2 } }),
		toEnd(place, 'three-ways', { outputs: 'three', wait: 0 }, {}, [1, 2]),
		toEnd(place, 'continued', { wait: 0 }, { onError: 'continueRegularOutput' }, [1]),
		toEnd(place, 'error-output', { wait: 0 }, { onError: 'continueErrorOutput' }, [1, 2]),
		workflow('two-items', { Webhook: webhook('two-items'), Run: run(place, { step: 'traps', wait: 10 }) }, [['Webhook', 0, 'Run']]),
	];
}

/** A claim whose other outputs, these ones, lead to the answer. */
function toEnd(
	place: Place,
	name: string,
	parameters: Record<string, unknown>,
	settings: Record<string, unknown>,
	ends: number[],
): Workflow {
	return workflow(
		name,
		{
			Webhook: webhook(name),
			Claim: claim(place, { scope: name, ...parameters }, settings),
			Write: write(place.receiver, '$json.body.id'),
			Record: record(place),
			Answer: meet(),
		},
		[
			['Webhook', 0, 'Claim'],
			['Claim', 0, 'Write'],
			['Write', 0, 'Record'],
			['Record', 0, 'Answer'],
			...ends.map((output): [string, number, string] => ['Claim', output, 'Answer']),
		],
	);
}

/** What can't go on, and how that is told. */
export function refusals(world: () => World): void {
	const failed = async (path: string) => {
		const { n8n, workflows } = world();
		const [last] = await n8n.executions(workflows.get(path) ?? '');
		equal(last?.status, 'error');
		return await n8n.evidence(last?.id ?? '');
	};

	it('another_content_under_a_known_key_is_refused_with_title_detail_and_remedy_and_not_asked_again', async () => {
		const { line, n8n, receiver } = world();
		equal((await n8n.deliver('checked', { id: 'mm', total: 1 })).status, 200);
		equal((await n8n.deliver('checked', { id: 'mm', total: 2 })).status, 500);
		const evidence = await failed('checked');
		for (const part of [/The identity is recorded with other content/, /checked:v1:mm: recorded with the content/i, /Send a correction as an event of its own/]) {
			match(evidence, part);
		}
		match(evidence, /itemIndex/);
		deepEqual([receiver.count('mm'), line.count(about('/claim/bulk', 'mm'))], [1, 2]);
	});

	it('an_item_without_an_event_id_is_refused_before_the_host_is_asked', async () => {
		const { line, n8n } = world();
		const before = line.passed.length;
		equal((await n8n.deliver('claimed', { name: 'nobody' })).status, 500);
		match(await failed('claimed'), /The event ID is not there/);
		equal(line.passed.length, before);
	});

	it('the_execution_id_is_refused_as_an_identity', async () => {
		equal((await world().n8n.deliver('by-execution', { id: 'ex' })).status, 500);
		match(await failed('by-execution'), /new with every retry and redelivery/);
		equal(world().receiver.count('ex'), 0);
	});

	it('work_that_somebody_else_is_at_leaves_by_the_third_output', async () => {
		const { n8n, receiver } = world();
		await heldByAnother(world(), 'three-ways', 'busy');
		const { status, body } = await n8n.deliver('three-ways', { id: 'busy' });
		deepEqual([status, (body as Said).onceward.verdict, receiver.count('busy')], [200, 'in-progress', 0]);
	});

	for (const path of ['continued', 'error-output']) {
		it(`a_claim_that_fails_and_goes_on_by_${path}_never_leaves_where_the_effect_is`, async () => {
			const { n8n, receiver } = world();
			const { status, body } = await n8n.deliver(path, { nobody: true });
			const { error, message } = body as { error: { verdict: string }; message: string };
			deepEqual([status, error.verdict], [200, 'no-identity']);
			match(message, /The event ID is not there/);
			equal(receiver.count(''), 0);
		});
	}

	it('a_claim_whose_credential_is_gone_never_leaves_where_the_effect_is', async () => {
		const { n8n, place, receiver, token } = world();
		const credential = await n8n.credential('Gone', { baseUrl: place.host, token, webhookSecret: '' });
		await n8n.publish(toEnd({ ...place, credential }, 'credential-gone', {}, { onError: 'continueRegularOutput' }, [1]));
		await n8n.rest('DELETE', `/credentials/${credential}`);
		const { status, body } = await n8n.deliver('credential-gone', { id: 'gone' });
		deepEqual([status, (body as { error?: { verdict: string } }).error?.verdict, receiver.count('gone')], [200, 'not-ready', 0]);
	});

	it('an_effect_that_is_on_record_is_not_done_again_and_ends_its_work', async () => {
		const { n8n, receiver } = world();
		const other = await heldByAnother(world(), 'patient', 'recorded', 'write');
		await other.record('write', 'deal-7');
		await other.letGo();
		const answers = [await n8n.deliver('patient', { id: 'recorded' }), await n8n.deliver('patient', { id: 'recorded' })];
		const said = answers.map(({ status, body }) => [status, (body as Said).onceward.verdict, (body as Said).result]);
		const result = { effects: [{ effect: 'write', reference: 'deal-7' }] };
		deepEqual(said, [[200, 'effect-recorded', result], [200, 'replay', result]]);
		equal(receiver.count('recorded'), 0);
	});

	it('a_record_that_comes_after_the_claims_end_fails_and_the_work_waits_for_a_person', async () => {
		const { host, n8n, receiver, token } = world();
		const open = receiver.hold('late');
		const answer = n8n.deliver('hasty', { id: 'late' });
		await until('n8n is writing', () => receiver.count('late') === 1 || undefined);
		const found = async () => await host.api<{ work: { state: string } }>(token, 'GET', `/v1/works/${encodeURIComponent('hasty:v1:late')}`);
		await until('the claim has ended', async () => (await found()).work.state === 'in-doubt' || undefined);
		open();
		equal((await answer).status, 500);
		match(await failed('hasty'), /The effect was recorded after the claim had ended/);
		match(JSON.stringify(await found()), /"late":true/);
		equal(receiver.count('late'), 1);
	});

	it('a_wait_ends_when_the_work_is_done_and_gives_its_result', async () => {
		const { line, n8n } = world();
		const other = await heldByAnother(world(), 'patient', 'soon');
		const answer = n8n.deliver('patient', { id: 'soon' });
		await until('the node waits', () => line.count(about('/claim/bulk', 'soon')) >= 2 || undefined);
		await other.finish({ by: 'another' });
		const { status, body } = await answer;
		deepEqual([status, (body as Said).result, (body as Said).onceward.duplicate], [200, { by: 'another' }, true]);
	});

	it('stopping_an_execution_ends_its_wait', { timeout: 60_000 }, async () => {
		const { line, n8n, workflows } = world();
		await heldByAnother(world(), 'patient', 'never');
		const answer = n8n.deliver('patient', { id: 'never' });
		await until('the node waits', () => line.count(about('/claim/bulk', 'never')) >= 2 || undefined);
		const [running] = await n8n.executions(workflows.get('patient') ?? '');
		equal(running?.status, 'running');
		await n8n.rest('POST', `/executions/${running?.id}/stop`);
		ok((await answer).status >= 200, 'the sender is answered at once, and not when the wait would be over');
		const ended = async () => (await n8n.executions(workflows.get('patient') ?? '')).find(({ id }) => id === running?.id)?.status;
		await until('the execution has ended', async () => ((await ended()) === 'canceled') || undefined);
	});

	it('an_execution_that_is_stopped_while_it_waits_leaves_what_it_got_free', async () => {
		const { line, n8n, receiver, workflows } = world();
		await heldByAnother(world(), 'patient-each', 'st-held');
		const answer = n8n.deliver('patient-each', { items: [{ id: 'st-free' }, { id: 'st-held' }] });
		await until('the node waits', () => line.count(about('/claim/bulk', 'st-held')) >= 3 || undefined);
		const [running] = await n8n.executions(workflows.get('patient-each') ?? '');
		await n8n.rest('POST', `/executions/${running?.id}/stop`);
		await answer;
		equal((await n8n.deliver('patient-each', { items: [{ id: 'st-free' }] })).status, 200);
		equal(receiver.count('st-free'), 1);
	});

	it('a_dead_work_is_an_error_that_names_its_cause', async () => {
		equal((await world().n8n.deliver('two-items', { id: 'dead-1' })).status, 500);
		const evidence = await failed('two-items');
		match(evidence, /The work is dead/);
		match(evidence, /have an operator replay the work/i);
	});
}
