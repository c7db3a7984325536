import type { GenericValue, IDataObject } from 'n8n-workflow';
import type { Problem } from './problem';

/** What became of one item. */
export type Outcome = Told | Waiting | Failed | Listed;

/** It is done, or may be: the item goes on. */
export interface Told {
	kind: 'told';
	/** Whether it is the first or has been done before. */
	lane: 'acquired' | 'done';
	onceward: IDataObject;
	/** The result; `undefined` where there is none. */
	result?: GenericValue | IDataObject | IDataObject[];
}

/** Somebody else is at it, or a person has to decide. */
export interface Waiting {
	kind: 'waiting';
	problem: Problem;
	onceward: IDataObject;
}

/** It can't go on. */
export interface Failed {
	kind: 'failed';
	problem: Problem;
}

/** It stands for a list. */
export interface Listed {
	kind: 'listed';
	entries: IDataObject[];
}

/** States that pass by themselves or by a person's word; every other problem is a failure of the item. */
const WAITING = ['in-progress', 'paused', 'in-review', 'in-doubt', 'accepted'];

/** A problem, as the item's outcome. */
export function refused(problem: Problem): Waiting | Failed {
	if (!WAITING.includes(problem.verdict)) return { kind: 'failed', problem };
	const { verdict, workId, detail, retryAfterMs } = problem;
	return {
		kind: 'waiting',
		problem,
		onceward: defined({ verdict, duplicate: true, workId, cause: detail, retryAfterMs }),
	};
}

/** The members that are there. */
export function defined(members: Record<string, unknown>): IDataObject {
	const kept = Object.entries(members).filter(([, value]) => value !== undefined && value !== null);
	return Object.fromEntries(kept) as IDataObject;
}
