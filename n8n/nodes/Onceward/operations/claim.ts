import type { IDataObject } from 'n8n-workflow';
import type { Answer } from '../api';
import { contentKey, eventKey, fieldsKey } from '../logic/identity';
import { ItemError } from '../logic/itemError';
import { defined, refused, type Outcome, type Told } from '../logic/outcome';
import { mayPass, parsed, type Run } from '../run';

/** What is said to the host about a claim that nobody goes on with. */
const GIVEN_BACK = 'the n8n execution stopped before it acted';

/**
 * Claim each item's key, all in one bulk call, and wait for keys that somebody else is at.
 *
 * Claims that were got are given back where the node fails or is cancelled: their tokens would be lost, and the next try
 * would find its own claims in the way.
 */
export async function claim(run: Run): Promise<Outcome[]> {
	const claims = new Claims(run);
	let ended = false;
	try {
		await claims.all();
		ended = true;
	} finally {
		if (!ended) await giveBack(run, claims.outcomes);
	}
	return claims.outcomes;
}

/** End the claims that were got, without their having been used. */
export async function giveBack(run: Run, outcomes: readonly Outcome[]): Promise<void> {
	const held = outcomes.filter((outcome): outcome is Told => outcome?.kind === 'told' && outcome.lane === 'acquired');
	const outcome = { retry: { cause: GIVEN_BACK, due_in_ms: 0 } };
	const items = held.map(({ onceward }) => ({ work: onceward.workId, token: onceward.token, outcome }));
	// Where this fails too, the leases end by themselves.
	await run.api.bulk('release', items, { afterCancel: true });
}

class Claims {
	readonly outcomes: Outcome[] = [];

	/** Which item of this run got a work. */
	private readonly got = new Map<unknown, number>();

	constructor(private readonly run: Run) {}

	async all(): Promise<void> {
		const requests = new Map<number, IDataObject>();
		for (const index of this.run.indices()) {
			const asked = this.run.asked(index, (place) => claimOf(this.run, place));
			if ('outcome' in asked) this.outcomes[index] = asked.outcome;
			else requests.set(index, asked.request);
		}
		const patience = this.run.patience();
		while (requests.size > 0) {
			const places = [...requests.keys()];
			const answers = await this.run.api.bulk('claim', [...requests.values()]);
			for (const [at, answer] of answers.entries()) {
				const index = places[at] ?? 0;
				this.outcomes[index] = await this.read(answer, index);
				if (this.outcomes[index].kind === 'told' || !mayPass(answer)) requests.delete(index);
			}
			if (requests.size > 0 && !(await patience.another())) break;
		}
	}

	private async read(answer: Answer, index: number): Promise<Outcome> {
		if (!answer.ok) {
			const { workId, verdict } = answer.problem;
			const first = this.got.get(workId);
			if (verdict !== 'in-progress' || workId === undefined || first === undefined) return refused(answer.problem);
			// Waiting for it would be waiting for ourselves.
			return { kind: 'told', lane: 'done', onceward: { verdict: 'same-run', duplicate: true, workId, sameAs: first } };
		}
		const { body } = answer;
		switch (body.verdict) {
			case 'acquired':
				this.got.set(body.work_id, index);
				return { kind: 'told', lane: 'acquired', onceward: held(body, false) };
			case 'effect-recorded':
				return await this.settle(body);
			default:
				return repeated(body);
		}
	}

	/** The effect has been done, and whoever did it went away before it could say what came of it: say it for them. */
	private async settle(body: IDataObject): Promise<Outcome> {
		const output = { effects: recorded(body) };
		const item = { work: body.work_id, token: body.token, outcome: { done: { output } } };
		const [answer] = await this.run.api.bulk('release', [item]);
		if (answer !== undefined && !answer.ok) return refused(answer.problem);
		return { kind: 'told', lane: 'done', result: output, onceward: held(body, true) };
	}
}

function claimOf(run: Run, index: number): IDataObject {
	const options = run.options(index);
	const content = options.content === undefined || options.content === '' ? undefined : parsed('Content', options.content);
	return defined({
		scope: run.param<string>('scope', index),
		key: keyOf(run, index),
		effect: text(run.param<string>('effect', index, '')),
		content,
		occurred_at: text(options.occurredAt),
		window: windowOf(options.windowDays),
		response: options.response,
		lease_ms: milliseconds(options.leaseSeconds),
		attempts_max: options.attemptsMax,
		give_up_after_ms: milliseconds(options.giveUpAfterSeconds),
	});
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

function held(body: IDataObject, duplicate: boolean): IDataObject {
	return defined({
		verdict: body.verdict,
		duplicate,
		workId: body.work_id,
		key: body.key,
		token: body.token,
		attempt: body.attempt,
		takeover: body.takeover,
		leaseUntil: typeof body.lease_until_ms === 'number' ? new Date(body.lease_until_ms).toISOString() : undefined,
	});
}

/** Effects that are on record, with the ids that the third party gave. */
function recorded(body: IDataObject): IDataObject[] {
	const effects = Array.isArray(body.effects) ? (body.effects as IDataObject[]) : [];
	return effects
		.filter((effect) => effect.state === 'recorded')
		.map((effect) => defined({ effect: effect.slot, reference: effect.external_reference }));
}

/** Work that was done before. */
export function repeated(body: IDataObject): Told {
	const { verdict, work_id: workId, key, state, needs_review: needsReview } = body;
	return {
		kind: 'told',
		lane: 'done',
		result: body.output,
		onceward: defined({ verdict, duplicate: true, workId, key, state, needsReview }),
	};
}
