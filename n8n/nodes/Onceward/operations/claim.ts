import type { IDataObject } from 'n8n-workflow';
import type { Answer } from '../api';
import { defined, refused, type Outcome, type Told } from '../logic/outcome';
import type { Problem } from '../logic/problem';
import { mayPass, type Run } from '../run';
import { claimOf, extension } from './claimRequest';

/** What is said to the host about a claim that nobody goes on with. */
const GIVEN_BACK = 'the n8n execution stopped before it acted';

/** Verdicts of a claim that is held. */
const HELD = ['acquired', 'effect-recorded'];

/** The claim is no longer held. */
const LOST: Problem = {
	verdict: 'lease-lost',
	title: 'The claim is no longer held',
	detail: 'It ended before it could be extended',
	remedy: 'Run it again.',
	retryable: true,
};

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

	/** What is claimed, by the items' places; those that are still open. */
	private readonly open = new Map<number, IDataObject>();

	/** Which item of this run got a work, and what the host said. */
	private readonly got = new Map<unknown, { index: number; body: IDataObject }>();

	constructor(private readonly run: Run) {}

	async all(): Promise<void> {
		for (const index of this.run.indices()) {
			const asked = this.run.asked(index, (place) => claimOf(this.run, place));
			if ('outcome' in asked) this.outcomes[index] = asked.outcome;
			else this.open.set(index, asked.request);
		}
		const patience = this.run.patience();
		while (this.open.size > 0) {
			await this.round();
			if (this.open.size > 0 && !(await patience.another())) break;
		}
	}

	/** Claim what is open; what was got is kept for longer. */
	private async round(): Promise<void> {
		const places = [...this.open.keys()];
		const answers = await this.run.api.bulk('claim', [...this.open.values()]);
		const got: number[] = [];
		for (const [at, answer] of answers.entries()) {
			const index = places[at] ?? 0;
			if (answer.ok && HELD.includes(String(answer.body.verdict))) {
				this.got.set(answer.body.work_id, { index, body: answer.body });
				got.push(index);
				continue;
			}
			const outcome = this.refusal(answer);
			this.outcomes[index] = outcome;
			if (outcome.kind === 'told' || !mayPass(answer)) this.open.delete(index);
		}
		await this.keep(got);
	}

	/** Extend these claims to what was asked for, and say the effects that are about to be done. */
	private async keep(indices: readonly number[]): Promise<void> {
		const bodies = new Map([...this.got.values()].map(({ index, body }) => [index, body]));
		const kept = await this.run.say('extend', {
			request: (index) => extension(this.run, index, bodies.get(index) ?? {}),
			read: (body, index) => ({
				kind: 'told',
				lane: body.verdict === 'effect-recorded' ? 'done' : 'acquired',
				result: body.verdict === 'effect-recorded' ? { effects: recorded(body) } : undefined,
				onceward: held({ ...bodies.get(index), ...body }),
			}),
		}, indices);
		for (const index of indices) {
			const outcome = kept[index] ?? refused(LOST);
			this.outcomes[index] = outcome.kind === 'told' && outcome.lane === 'done' ? await this.settle(outcome) : outcome;
			if (outcome.kind === 'failed' && outcome.problem.verdict === LOST.verdict) {
				// It took so long that another one may have it: claim it again.
				this.got.delete(bodies.get(index)?.work_id);
			} else {
				this.open.delete(index);
			}
		}
	}

	/** What an item gets that does not get its work. */
	private refusal(answer: Answer): Outcome {
		if (answer.ok) return repeated(answer.body);
		const { workId, verdict } = answer.problem;
		const first = this.got.get(workId);
		if (verdict !== 'in-progress' || first === undefined) return refused(answer.problem);
		// Waiting for it would be waiting for ourselves.
		return { kind: 'told', lane: 'done', onceward: { verdict: 'same-run', duplicate: true, workId, sameAs: first.index } };
	}

	/** The effect has been done, and whoever did it went away before it could say what came of it: say it for them. */
	private async settle(recorded: Told): Promise<Outcome> {
		const { workId, token } = recorded.onceward;
		const item = { work: workId, token, outcome: { done: { output: recorded.result } } };
		const [answer] = await this.run.api.bulk('release', [item]);
		return answer !== undefined && !answer.ok ? refused(answer.problem) : recorded;
	}
}

function held(body: IDataObject): IDataObject {
	const isRecorded = body.verdict === 'effect-recorded';
	return defined({
		verdict: isRecorded ? body.verdict : 'acquired',
		duplicate: isRecorded,
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
