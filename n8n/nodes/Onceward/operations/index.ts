import type { Outcome } from '../logic/outcome';
import type { Run } from '../run';
import { advance } from './advance';
import { claim, giveBack } from './claim';
import { listDeadLetters, replayDeadLetter, replayDeadLetters } from './deadLetters';
import { ask, recall, store } from './decide';
import { enqueue } from './enqueue';
import { recordEffect } from './recordEffect';
import { release } from './release';
import { runStep } from './runStep';
import { getWork } from './works';

/** What a node does with its items. */
export interface Operation {
	act(run: Run): Promise<Outcome[]>;
	/** What is put in order where the node fails although some items did not. */
	undo?(run: Run, outcomes: readonly Outcome[]): Promise<void>;
}

/** Every operation, by its resource and its name. */
export const OPERATIONS: Record<string, Operation> = {
	'step:run': { act: runStep },
	'work:claim': { act: claim, undo: giveBack },
	'work:recordEffect': { act: recordEffect },
	'work:release': { act: release },
	'work:advance': { act: advance },
	'work:get': { act: getWork },
	'decision:recall': { act: recall },
	'decision:store': { act: store },
	'decision:ask': { act: ask },
	'message:enqueue': { act: enqueue },
	'deadLetter:getAll': { act: listDeadLetters },
	'deadLetter:replay': { act: replayDeadLetter },
	'deadLetter:replayMany': { act: replayDeadLetters },
};
