import type { INodeExecutionData } from 'n8n-workflow';
import { toFailure, toItem } from './logic/item';
import type { Failed, Outcome } from './logic/outcome';

/** How a node's outputs divide what came of its items. */
export type Split = 'one' | 'two' | 'three';

/** The names of the outputs. */
export const OUTPUT_NAMES: Record<Split, string[]> = {
	one: [''],
	two: ['Acquired', 'Already Done'],
	three: ['Acquired', 'Already Done', 'Wait or Review'],
};

/** The items of each output, and what can't go out by any of them. */
export interface Arranged {
	outputs: INodeExecutionData[][];
	failed: Array<{ index: number; failed: Failed }>;
}

/**
 * Put each item on its output. Who waits has an output of its own only where there are three; else it is a failure, since
 * the nodes behind the others rely on a result.
 */
export function arrange(items: readonly INodeExecutionData[], outcomes: readonly Outcome[], split: Split): Arranged {
	const outputs: INodeExecutionData[][] = OUTPUT_NAMES[split].map(() => []);
	const failed: Arranged['failed'] = [];
	outcomes.forEach((outcome, index) => {
		const input = items[index]?.json ?? {};
		switch (outcome.kind) {
			case 'told':
				outputs[split !== 'one' && outcome.lane === 'done' ? 1 : 0]?.push(toItem(input, outcome, index));
				break;
			case 'listed':
				outputs[0]?.push(...outcome.entries.map((json) => ({ json, pairedItem: { item: index } })));
				break;
			case 'waiting':
				if (split === 'three') outputs[2]?.push(toItem(input, outcome, index));
				else failed.push({ index, failed: { kind: 'failed', problem: outcome.problem } });
				break;
			case 'failed':
				failed.push({ index, failed: outcome });
		}
	});
	return { outputs, failed };
}

/**
 * The same where the workflow goes on in spite of failures. They leave by the last output: what stands behind the first one
 * acts, and must not act on what was not claimed.
 */
export function withFailures({ outputs, failed }: Arranged): INodeExecutionData[][] {
	const last = outputs.length - 1;
	for (const { index, failed: { problem } } of failed) outputs[last]?.push(toFailure(problem, index));
	outputs[last]?.sort((one, other) => place(one) - place(other));
	return outputs;
}

function place(item: INodeExecutionData): number {
	return typeof item.pairedItem === 'object' && !Array.isArray(item.pairedItem) ? item.pairedItem.item : 0;
}
