import type { IDataObject } from 'n8n-workflow';
import type { Answer } from '../api';
import { defined, refused, type Outcome, type Told } from '../logic/outcome';
import { mayPass, type Run } from '../run';
import { briefly, claimOf, extension } from './claimRequest';

/** What is said to the host about a claim that nobody goes on with. */
const GIVEN_BACK = 'the n8n execution stopped before it acted';

/** Verdicts of a claim that is held. */
const HELD = ['acquired', 'effect-recorded'];

/** The verdict about a claim that is no longer held. */
const LOST = 'lease-lost';

/**
 * Claim each item's key, all in one bulk call, and wait for keys that somebody else is at.
 *
 * While others are waited for, claims that were got hold for seconds and name no effect. So a stopped or killed execution, which
 * can say nothing any more, leaves them free. At the end they are extended to what was asked for.
 */
export async function claim(run: Run): Promise<Outcome[]> {
	const claims = new Claims(run);
	await claims.all();
	return claims.outcomes;
}

/**
 * End the claims that were got, without their having been used: where the node fails, their tokens are lost, and its next try
 * would find its own claims in the way.
 */
export async function giveBack(run: Run, outcomes: readonly Outcome[]): Promise<void> {
	const held = outcomes.filter((outcome): outcome is Told => outcome?.kind === 'told' && outcome.lane === 'acquired');
	const outcome = { retry: { cause: GIVEN_BACK, due_in_ms: 0 } };
	const items = held.map(({ onceward }) => ({ work: onceward.workId, token: onceward.token, outcome }));
	// Where this fails too, the leases end by themselves.
	await run.api.bulk('release', items);
}

/** A claim that was got: whose it is, and what the host said. */
interface Got {
	index: number;
	body: IDataObject;
}

class Claims {
	readonly outcomes: Outcome[] = [];

	/** What is claimed, by the items' places. */
	private readonly requests = new Map<number, IDataObject>();

	/** The places whose keys are still to be claimed. */
	private readonly open = new Set<number>();

	/** What was got, by the works. */
	private readonly got = new Map<unknown, Got>();

	constructor(private readonly run: Run) {}

	async all(): Promise<void> {
		for (const index of this.run.indices()) {
			const asked = this.run.asked(index, (place) => claimOf(this.run, place));
			if ('outcome' in asked) {
				this.outcomes[index] = asked.outcome;
			} else {
				this.requests.set(index, asked.request);
				this.open.add(index);
			}
		}
		const patience = this.run.patience();
		do {
			await this.claim();
			while (this.open.size > 0 && (await patience.another())) {
				await this.hold();
				await this.claim();
			}
			await this.keep();
		} while (this.lost().length > 0 && (await patience.another()));
	}

	/** Claim what is open. */
	private async claim(): Promise<void> {
		const places = [...this.open];
		const answers = await this.run.api.bulk('claim', places.map((index) => this.requests.get(index) ?? {}));
		for (const [at, answer] of answers.entries()) {
			const index = places[at] ?? 0;
			if (answer.ok && HELD.includes(String(answer.body.verdict))) {
				this.got.set(answer.body.work_id, { index, body: answer.body });
				this.open.delete(index);
				continue;
			}
			const outcome = this.refusal(answer);
			this.outcomes[index] = outcome;
			if (outcome.kind === 'told' || !mayPass(answer)) this.open.delete(index);
		}
	}

	/** Hold what was got while others are waited for. */
	private async hold(): Promise<void> {
		const got = [...this.got.values()];
		const answers = await this.run.api.bulk('extend', got.map(({ body }) => briefly(body)));
		answers.forEach((answer, at) => {
			if (!answer.ok && answer.problem.verdict === LOST) this.reopen(got[at]);
		});
	}

	/** Extend what was got to what was asked for, and say the effects that are about to be done. */
	private async keep(): Promise<void> {
		const got = new Map([...this.got.values()].map((held) => [held.index, held]));
		const kept = await this.run.say('extend', {
			request: (index) => extension(this.run, index, got.get(index)?.body ?? {}),
			read: (body, index) => keeping(body, got.get(index)?.body),
		}, [...got.keys()]);
		for (const [index, held] of got) {
			const outcome = kept[index];
			if (outcome === undefined) continue;
			this.outcomes[index] = outcome.kind === 'told' && outcome.lane === 'done' ? await this.settle(outcome) : outcome;
			if (outcome.kind === 'failed' && outcome.problem.verdict === LOST) this.reopen(held);
			else this.got.delete(held.body.work_id);
		}
	}

	/** The places whose claims ended before they could be extended. */
	private lost(): number[] {
		return [...this.open].filter((index) => {
			const outcome = this.outcomes[index];
			return outcome?.kind === 'failed' && outcome.problem.verdict === LOST;
		});
	}

	/** A claim took so long that another one may have it: claim it again. */
	private reopen(held: Got | undefined): void {
		if (held === undefined) return;
		this.got.delete(held.body.work_id);
		this.open.add(held.index);
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

/** What comes of an item whose claim was extended. */
function keeping(body: IDataObject, claimed: IDataObject | undefined): Told {
	const isRecorded = body.verdict === 'effect-recorded';
	return {
		kind: 'told',
		lane: isRecorded ? 'done' : 'acquired',
		result: isRecorded ? { effects: recorded(body) } : undefined,
		onceward: held({ ...claimed, ...body }),
	};
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
