import type { IDataObject } from 'n8n-workflow';
import { defined, type Outcome } from './outcome';
import type { Problem } from './problem';

/** Verdicts of an invocation after which a result may still come without anybody's doing. */
const MOVING = ['accepted', 'in-progress'];

/** What an invoked step has come to: its first result, the stored one, or how the work stands. */
export function invoked(status: number, body: IDataObject): Outcome {
	const { verdict, work_id: workId, key, state, attempts, needs_review: needsReview } = body;
	if (status === 202) {
		const problem = standing(body);
		return {
			kind: 'waiting',
			problem,
			onceward: defined({ verdict, duplicate: false, workId, key, state, cause: body.cause, statusUrl: body.status_url }),
		};
	}
	const duplicate = verdict !== 'done' && verdict !== 'read';
	return {
		kind: 'told',
		lane: duplicate ? 'done' : 'acquired',
		result: body.output,
		onceward: defined({ verdict, duplicate, workId, key, state, attempts, needsReview }),
	};
}

/** Work that has no result yet, as a problem for those who can't go on without one. */
function standing(body: IDataObject): Problem {
	const verdict = String(body.verdict);
	const moving = MOVING.includes(verdict) && body.cause === undefined;
	const cause = typeof body.cause === 'string' ? `: ${body.cause}` : '';
	return {
		verdict,
		title: moving ? 'The work is still in progress' : 'The work waits for a person',
		detail: `${String(body.key)} is ${String(body.state)}${cause}`,
		remedy: moving
			? 'Run it again, or wait longer: the same event gets the same result.'
			: 'An operator decides about it; the same event then gets its result.',
		retryable: moving,
		workId: typeof body.work_id === 'string' ? body.work_id : undefined,
		retryAfterMs: typeof body.retry_after_ms === 'number' ? body.retry_after_ms : undefined,
	};
}
