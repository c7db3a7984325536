import type { IDataObject } from 'n8n-workflow';
import { defined, refused, type Outcome } from '../logic/outcome';
import type { Run } from '../run';
import { inTurn } from './inTurn';
import { readable } from './works';

/** Works of one page; the host gives at most a thousand. */
const PAGE = 200;

/** List what has stopped. Each work becomes an item of its own. */
export async function listDeadLetters(run: Run): Promise<Outcome[]> {
	return await inTurn(run.indices(), async (index) => {
		const asked = run.asked(index, (place) => ({
			most: run.param<boolean>('returnAll', place) ? Infinity : run.param<number>('limit', place),
			filter: defined({ state: run.param<string>('state', place), step: step(run, place) }),
		}));
		return 'outcome' in asked ? asked.outcome : await list(run, asked.request);
	});
}

/** Replay each item's work under its own identity. */
export async function replayDeadLetter(run: Run): Promise<Outcome[]> {
	return await inTurn(run.indices(), async (index) => {
		const asked = run.asked(index, (place) => ({
			work: run.param<string>('work', place),
			why: run.param<string>('reason', place),
			key: run.param<string>('replayId', place),
		}));
		if ('outcome' in asked) return asked.outcome;
		const { work, why, key } = asked.request;
		const answer = await run.api.ask({
			method: 'POST',
			path: `/v1/works/${encodeURIComponent(work)}/replay`,
			headers: key === '' ? {} : { 'Idempotency-Key': key },
			body: { why },
		});
		if (!answer.ok) return refused(answer.problem);
		const { verdict, work_id: workId, state } = answer.body;
		return { kind: 'told', lane: 'acquired', onceward: defined({ verdict, duplicate: false, workId, state }) };
	});
}

/** Replay many works that are chosen by what they have in common. */
export async function replayDeadLetters(run: Run): Promise<Outcome[]> {
	return await inTurn(run.indices(), async (index) => {
		const asked = run.asked(index, (place) =>
			defined({
				state: run.param<string>('state', place),
				step: step(run, place),
				cause: run.options(place).cause === '' ? undefined : run.options(place).cause,
				limit: run.param<number>('limit', place),
				every_ms: run.options(place).everyMs,
				dry_run: run.param<boolean>('dryRun', place),
				why: run.param<string>('reason', place),
			}),
		);
		if ('outcome' in asked) return asked.outcome;
		const answer = await run.api.ask({ method: 'POST', path: '/v1/works/replay', body: asked.request });
		if (!answer.ok) return refused(answer.problem);
		const { decided, left, dry_run: dryRun } = answer.body;
		const onceward = defined({ verdict: dryRun === true ? 'counted' : 'applied', duplicate: false, decided, left });
		return { kind: 'told', lane: 'acquired', onceward };
	});
}

async function list(run: Run, { most, filter }: { most: number; filter: IDataObject }): Promise<Outcome> {
	const entries: IDataObject[] = [];
	let before: unknown;
	do {
		const limit = Math.min(PAGE, most - entries.length);
		const answer = await run.api.ask({ method: 'GET', path: '/v1/works', query: defined({ ...filter, before, limit }) });
		if (!answer.ok) return refused(answer.problem);
		const { works, next } = answer.body as { works: IDataObject[]; next?: string };
		entries.push(...works.map(readable));
		before = next;
	} while (before !== undefined && entries.length < most);
	return { kind: 'listed', entries };
}

function step(run: Run, index: number): unknown {
	const named = run.options(index).step;
	return named === '' ? undefined : named;
}
