import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { it } from 'node:test';
import { about } from '../world/line';
import { claim, HELD, run, type Place } from '../world/flows';
import { until } from '../world/parts';
import type { World } from '../world/world';
import { onceward, webhook, workflow, type Part, type Workflow } from '../world/workflow';
import { RETRIED, type Said } from './table';

/** A webhook and nodes behind each other. */
function row(name: string, parts: Record<string, Part>): Workflow {
	const names = ['Webhook', ...Object.keys(parts)];
	const wires = names.slice(1).map((to, at): [string, number, string] => [names[at] ?? '', 0, to]);
	return workflow(name, { Webhook: webhook(name), ...parts }, wires);
}

/** The workflows of these cases. */
export function operationFlows(place: Place): Workflow[] {
	const node = (parameters: Record<string, unknown>) => onceward(place.credential, { ...HELD, wait: 30, ...parameters });
	const question = { slot: 'class', model: 'classifier', promptVersion: '1', input: '={{ { "text": "hello" } }}' };
	return [
		row('all-primitives', {
			Claim: claim(place, { scope: 'all-primitives' }),
			None: node({ resource: 'decision', operation: 'recall', slot: 'class' }),
			Ask: node({ resource: 'decision', operation: 'ask', prompt: 'Classify.', ...question }),
			Store: node({ resource: 'decision', operation: 'store', ...question, answer: '={{ { "type": "mine" } }}' }),
			Advance: node({ resource: 'work', operation: 'advance', stage: 'received' }),
			Enqueue: node({
				resource: 'message',
				operation: 'enqueue',
				destination: 'crm',
				slot: 'deal',
				payload: "={{ { id: $('Webhook').item.json.body.id } }}",
			}),
			Release: node({ resource: 'work', operation: 'release', outcome: 'done', result: "={{ { class: $('Store').item.json.result } }}" }),
			Get: node({ resource: 'work', operation: 'get', work: '={{ $json.onceward.workId }}', options: { family: false } }),
		}),
		row('rejected', {
			Claim: claim(place, { scope: 'rejected' }),
			Release: node({ resource: 'work', operation: 'release', outcome: 'reject', cause: 'no such customer' }),
		}),
		row('dies', { Run: run(place, { step: 'traps', wait: 10, outputs: 'one' }) }),
		row('dead-letters', {
			List: onceward(place.credential, {
				resource: 'deadLetter',
				operation: 'getAll',
				state: 'dead',
				returnAll: true,
				options: { step: 'traps' },
			}),
			First: { type: 'n8n-nodes-base.limit', typeVersion: 1, parameters: { maxItems: 1 } },
			Replay: onceward(place.credential, { resource: 'deadLetter', operation: 'replay', reason: 'it is tried again' }, RETRIED),
		}),
		row('counted', {
			Count: onceward(place.credential, { resource: 'deadLetter', operation: 'replayMany', state: 'dead', limit: 10, dryRun: true, reason: 'the test asks' }),
		}),
	];
}

/** What the other operations do. */
export function operations(world: () => World): void {
	it('a_work_is_claimed_decided_advanced_enqueued_and_released', async () => {
		const { n8n, receiver } = world();
		const { status, body } = await n8n.deliver('all-primitives', { id: 'ap-1' });
		const { result } = body as { result: { work: Record<string, unknown>; decisions: unknown[]; rows: unknown[]; stage: string } };
		equal(status, 200);
		// What was stored second gives way to the first answer.
		deepEqual(result.work.output, { class: { type: 'other', confidence: 0.4 } });
		deepEqual([result.work.state, result.stage, result.decisions.length, result.rows.length], ['done', 'received', 1, 1]);
		await until('it is sent', () => receiver.count('ap-1') === 1 || undefined);
	});

	it('a_rejected_work_stays_rejected_with_its_cause', async () => {
		const { n8n, workflows } = world();
		equal((await n8n.deliver('rejected', { id: 'rj-1' })).status, 200);
		equal((await n8n.deliver('rejected', { id: 'rj-1' })).status, 500);
		const [last] = await n8n.executions(workflows.get('rejected') ?? '');
		match(await n8n.evidence(last?.id ?? ''), /no such customer/);
	});

	it('a_dead_letter_is_listed_with_its_payload_and_replayed_once', async () => {
		const { host, line, n8n, token } = world();
		equal((await n8n.deliver('dies', { id: 'dl-1' })).status, 500);
		const counted = (await n8n.deliver('counted', {})).body as { onceward: { left: number } };
		ok(counted.onceward.left >= 1);
		// The host has replayed it, and n8n can't know.
		line.loseReply(({ path }) => path.endsWith('/replay'));
		const { status, body } = await n8n.deliver('dead-letters', {});
		const said = body as Said & { step: string; payload: unknown; attempt: number; cause: string };
		deepEqual([status, said.step, said.attempt, said.onceward.verdict], [200, 'traps', 1, 'applied']);
		match(JSON.stringify(said.payload), /dl-1/);
		match(said.cause, /boom|panic|trap/i);
		equal(line.count(({ path }) => path.endsWith(`/${said.onceward.workId}/replay`)), 2);
		const { evidence } = await host.api<{ evidence: unknown[] }>(token, 'GET', `/v1/works/${said.onceward.workId}`);
		equal(evidence.filter((line) => JSON.stringify(line).includes('it is tried again')).length, 1);
	});

	it('the_credential_is_tested_and_a_wrong_token_is_told', async () => {
		const { host, n8n, place } = world();
		const credential = (token: string) => ({
			credentials: { id: place.credential, name: 'Onceward', type: 'oncewardApi', data: { baseUrl: host.url, token, webhookSecret: '' } },
		});
		const good = await n8n.rest<{ status: string }>('POST', '/credentials/test', credential(world().token));
		const bad = await n8n.rest<{ status: string }>('POST', '/credentials/test', credential('onceward_wrong'));
		deepEqual([good.status, bad.status], ['OK', 'Error']);
		equal(world().line.count(about('/claim/bulk', 'nothing')), 0);
	});
}
