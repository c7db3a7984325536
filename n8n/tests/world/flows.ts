import { meet, onceward, webhook, workflow, write, type Part, type Workflow } from './workflow';

/** The claim of the node `Claim`, wherever in the flow it is asked for. */
export const HELD = {
	workId: "={{ $('Claim').item.json.onceward.workId }}",
	claimNumber: "={{ $('Claim').item.json.onceward.token }}",
};

/** What flows need to know of the world. */
export interface Place {
	/** The id of n8n's credential. */
	credential: string;
	/** The id of the credential of a person who may approve. */
	approver: string;
	/** Where the receiver is. */
	receiver: string;
	/** Where the host is. */
	host: string;
}

/** A claim of the item's id. */
export function claim(place: Place, parameters: Record<string, unknown>, settings: Record<string, unknown> = {}): Part {
	const preset = {
		resource: 'work',
		operation: 'claim',
		identifyBy: 'eventId',
		eventId: '={{ $json.body.id }}',
		effect: 'write',
		outputs: 'two',
		wait: 30,
		options: { leaseSeconds: 120 },
	};
	return onceward(place.credential, { ...preset, ...parameters }, settings);
}

/** The end of a claim after the write. */
export function record(place: Place, parameters: Record<string, unknown> = {}): Part {
	const preset = { resource: 'work', operation: 'recordEffect', effect: 'write', reference: '={{ $json.id }}', finish: true };
	return onceward(place.credential, { ...preset, ...HELD, result: '={{ $json }}', wait: 30, ...parameters });
}

/** The end of a claim that came to nothing. */
export function again(place: Place): Part {
	const preset = { resource: 'work', operation: 'release', outcome: 'retry', cause: 'the target is down', thenFail: true };
	return onceward(place.credential, { ...preset, ...HELD, wait: 30 });
}

/** Runs a step on the item's id. */
export function run(place: Place, parameters: Record<string, unknown> = {}, settings: Record<string, unknown> = {}): Part {
	const preset = {
		resource: 'step',
		operation: 'run',
		step: 'enqueues',
		identifyBy: 'eventId',
		eventId: '={{ $json.body.id }}',
		source: 'test',
		payload: '={{ { "deal": { "id": $json.body.id } } }}',
		outputs: 'one',
		wait: 30,
	};
	return onceward(place.credential, { ...preset, ...parameters }, settings);
}

/** Makes an item of each element of `items` in the body. */
export function split(): Part {
	return { type: 'n8n-nodes-base.splitOut', typeVersion: 1, parameters: { fieldToSplitOut: 'body.items', options: {} } };
}

/** Claim, write, record: the write is n8n's own, and the receiver takes no key. */
export function claimed(place: Place, path: string, parameters: Record<string, unknown> = {}): Workflow {
	return workflow(
		path,
		{
			Webhook: webhook(path),
			Claim: claim(place, { scope: path, ...parameters }),
			Write: write(place.receiver, '$json.body.id', { onError: 'continueErrorOutput' }),
			Record: record(place),
			Again: again(place),
			Answer: meet(),
		},
		[
			['Webhook', 0, 'Claim'],
			['Claim', 0, 'Write'],
			['Claim', 1, 'Answer'],
			['Write', 0, 'Record'],
			['Write', 1, 'Again'],
			['Record', 0, 'Answer'],
		],
	);
}

/** The same for each item of a list. */
export function claimedEach(place: Place, path: string, parameters: Record<string, unknown>, settings: Record<string, unknown>): Workflow {
	const fromItem = { eventId: '={{ $json.id }}' };
	return workflow(
		path,
		{
			Webhook: webhook(path),
			Split: split(),
			Claim: claim(place, { scope: path, ...fromItem, ...parameters }, settings),
			Write: write(place.receiver, '$json.id'),
			Record: record(place),
			Answer: meet(),
		},
		[
			['Webhook', 0, 'Split'],
			['Split', 0, 'Claim'],
			['Claim', 0, 'Write'],
			['Claim', 1, 'Answer'],
			['Write', 0, 'Record'],
			['Record', 0, 'Answer'],
		],
	);
}

/** Runs a step, whose row the host delivers. */
export function stepped(place: Place, path: string, parameters: Record<string, unknown> = {}, settings: Record<string, unknown> = {}): Workflow {
	return workflow(path, { Webhook: webhook(path), Run: run(place, parameters, settings) }, [['Webhook', 0, 'Run']]);
}

/** Runs a step on each item of a list. */
export function steppedEach(place: Place, path: string, parameters: Record<string, unknown>, settings: Record<string, unknown>): Workflow {
	const fromItem = { eventId: '={{ $json.id }}', payload: '={{ { "deal": { "id": $json.id } } }}' };
	return workflow(
		path,
		{ Webhook: webhook(path), Split: split(), Run: run(place, { ...fromItem, ...parameters }, settings), Answer: meet() },
		[
			['Webhook', 0, 'Split'],
			['Split', 0, 'Run'],
			['Run', 0, 'Answer'],
		],
	);
}
