import {
	NodeConnectionTypes,
	NodeOperationError,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';
import { Api, CREDENTIAL } from './api';
import { arrange, OUTPUT_NAMES, withFailures, type Split } from './arrange';
import { asNodeError, failure } from './fail';
import type { Outcome } from './logic/outcome';
import type { Problem } from './logic/problem';
import { OPERATIONS } from './operations';
import { DEAD_LETTER } from './properties/deadLetter';
import { DECISION } from './properties/decision';
import { MESSAGE } from './properties/message';
import { STEP } from './properties/step';
import { WORK } from './properties/work';
import { Run } from './run';

/** The outputs that the parameters ask for; n8n evaluates it in the editor, where nothing else of this package is there. */
const OUTPUTS = `={{ ((parameters) => {
	const names = ${JSON.stringify(OUTPUT_NAMES)};
	const splits = parameters.operation === 'claim' || parameters.operation === 'run';
	const chosen = names[splits ? parameters.outputs : 'one'] || names.one;
	return chosen.map((displayName) => ({ type: '${NodeConnectionTypes.Main}', displayName }));
})($parameter) }}` as const;

/** The client of a host: it claims, records, decides and enqueues, and asks after what became of it. */
export class Onceward implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Onceward',
		name: 'onceward',
		icon: { light: 'file:../../icons/onceward.svg', dark: 'file:../../icons/onceward.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description: 'Run steps, claim work and record effects so that a repeat is recognised and acts once',
		defaults: { name: 'Onceward' },
		inputs: [NodeConnectionTypes.Main],
		outputs: OUTPUTS,
		usableAsTool: true,
		credentials: [{ name: CREDENTIAL, required: true }],
		properties: [
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				options: [
					{ name: 'Dead Letter', value: 'deadLetter' },
					{ name: 'Decision', value: 'decision' },
					{ name: 'Message', value: 'message' },
					{ name: 'Step', value: 'step' },
					{ name: 'Work', value: 'work' },
				],
				default: 'step',
			},
			...STEP,
			...WORK,
			...DECISION,
			...MESSAGE,
			...DEAD_LETTER,
		],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		try {
			return await perform(this);
		} catch (error) {
			if (!this.continueOnFail() || this.getExecutionCancelSignal()?.aborted) throw asNodeError(this, error);
			// n8n would hand on the input as if it were the output, and what stands behind a claim would act without one.
			const failed = { kind: 'failed' as const, problem: unready(error) };
			const items = this.getInputData();
			return withFailures(arrange(items, items.map(() => failed), splitOf(this)));
		}
	}
}

/** Do what is asked for, with all items at once. */
async function perform(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const name = (parameter: string) => context.getNodeParameter(parameter, 0) as string;
	const operation = `${name('resource')}:${name('operation')}`;
	const { act, undo } = OPERATIONS[operation] ?? {};
	if (act === undefined) throw new NodeOperationError(context.getNode(), `There is no operation ${operation}`);
	const run = new Run(context, await Api.of(context));
	const outcomes: Outcome[] = await act(run);
	const arranged = arrange(run.items, outcomes, splitOf(context));
	if (arranged.failed.length > 0 && !context.continueOnFail()) {
		await undo?.(run, outcomes);
		throw failure(context, arranged.failed);
	}
	return withFailures(arranged);
}

function splitOf(context: IExecuteFunctions): Split {
	return context.getNodeParameter('outputs', 0, 'one') as Split;
}

/** Nothing could be asked: the credential can't be had, for one. */
function unready(error: unknown): Problem {
	return {
		verdict: 'not-ready',
		title: 'The node could not run',
		detail: error instanceof Error ? error.message : String(error),
		remedy: "Correct the node's credential and parameters.",
		retryable: false,
	};
}
