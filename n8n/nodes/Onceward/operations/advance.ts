import { defined, type Outcome } from '../logic/outcome';
import type { Run } from '../run';
import { holding, under } from './holding';

/** Move each item's handoff on to a stage. One that lies behind changes nothing. */
export async function advance(run: Run): Promise<Outcome[]> {
	return await run.say('advance', {
		request: (index) => ({ ...holding(run, index), stage: run.param<string>('stage', index) }),
		read: ({ verdict, stage }, index) => ({
			kind: 'told',
			lane: 'acquired',
			onceward: under(run, index, defined({ verdict, stage })),
		}),
	});
}
