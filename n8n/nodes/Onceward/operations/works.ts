import type { IDataObject } from 'n8n-workflow';
import { defined, refused, type Outcome } from '../logic/outcome';
import type { Run } from '../run';
import { inTurn } from './inTurn';

/** Members of a work that the API gives as a text of JSON. */
const JSON_MEMBERS = ['payload', 'output'];

/** Look each item's work up. */
export async function getWork(run: Run): Promise<Outcome[]> {
	return await inTurn(run.indices(), async (index) => {
		const asked = run.asked(index, (place) => run.param<string>('work', place));
		if ('outcome' in asked) return asked.outcome;
		const path = `/v1/works/${encodeURIComponent(asked.request)}`;
		const family = run.options(index).family === true;
		const answer = await run.api.ask({ method: 'GET', path, query: family ? { family } : {} });
		if (!answer.ok) return refused(answer.problem);
		const { work, works } = answer.body as { work?: IDataObject; works?: IDataObject[] };
		const parts = defined({
			work: work && readable(work),
			works: works?.map((part) => ({ ...part, work: readable(part.work as IDataObject) })),
		});
		const { work_id: workId, state, duplicates } = work ?? (works?.[0]?.work as IDataObject | undefined) ?? {};
		return {
			kind: 'told',
			lane: 'acquired',
			result: { ...answer.body, ...parts },
			onceward: defined({ verdict: 'found', duplicate: false, workId, state, duplicates }),
		};
	});
}

/** A work, its payload and its output as values. */
export function readable(work: IDataObject): IDataObject {
	const values = JSON_MEMBERS.filter((name) => typeof work[name] === 'string').map((name) => {
		try {
			return [name, JSON.parse(work[name] as string) as IDataObject];
		} catch {
			// An erased payload is no JSON.
			return [name, work[name]];
		}
	});
	return { ...work, ...Object.fromEntries(values) };
}
