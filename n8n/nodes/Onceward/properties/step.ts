import type { INodeProperties } from 'n8n-workflow';
import { outputs, wait } from './common';
import { eventIdentity } from './identity';

const RESOURCE = { resource: ['step'] };
const RUN = { ...RESOURCE, operation: ['run'] };

/** The operations of a step. */
export const STEP: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: RESOURCE },
		options: [
			{
				name: 'Run',
				value: 'run',
				action: 'Run a step',
				description: 'Run a step on an event, or get the first result when the event came before',
			},
		],
		default: 'run',
	},
	{
		displayName: 'Step',
		name: 'step',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'lead-classifier',
		description: "The step's name, as <code>onceward step list</code> shows it",
		displayOptions: { show: RUN },
	},
	...eventIdentity(RUN),
	{
		displayName: 'Payload',
		name: 'payload',
		type: 'json',
		default: '={{ $json.body ?? $json }}',
		required: true,
		description: 'What the step works on. A repeat with other content is refused as a mismatch.',
		displayOptions: { show: RUN },
	},
	outputs(RUN, 'one'),
	wait(RUN),
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show: RUN },
		options: [
			{
				displayName: 'Keep Mismatches',
				name: 'quarantine',
				type: 'boolean',
				default: false,
				description: 'Whether an event whose identity is on record with other content is kept for a person as well',
			},
			{
				displayName: 'Occurred At',
				name: 'occurredAt',
				type: 'string',
				default: '',
				placeholder: '2026-01-31T10:00:00+01:00',
				description: 'When it happened, as the sender says. Never the time of the run.',
			},
		],
	},
];
