import type { INodeProperties } from 'n8n-workflow';

const RESOURCE = { resource: ['deadLetter'] };
const of = (...operation: string[]) => ({ ...RESOURCE, operation });

/** The operations of what has stopped. */
export const DEAD_LETTER: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: RESOURCE },
		options: [
			{
				name: 'Get Many',
				value: 'getAll',
				action: 'Get many dead letters',
				description: 'List works that have stopped, with payload, cause and attempts',
			},
			{
				name: 'Replay',
				value: 'replay',
				action: 'Replay a dead letter',
				description: 'Run a work again under its own identity, with a fresh budget',
			},
			{
				name: 'Replay Many',
				value: 'replayMany',
				action: 'Replay many dead letters',
				description: 'Run works again that are chosen by what they have in common',
			},
		],
		default: 'getAll',
	},
	{
		displayName: 'State',
		name: 'state',
		type: 'options',
		options: [
			{ name: 'Dead', value: 'dead', description: 'Attempts or time are used up' },
			{ name: 'In Doubt', value: 'in-doubt', description: 'It may or may not have happened' },
			{ name: 'Review', value: 'review', description: 'A person has to decide' },
		],
		default: 'dead',
		displayOptions: { show: of('getAll') },
	},
	{
		displayName: 'State',
		name: 'state',
		type: 'options',
		options: [
			{ name: 'Dead', value: 'dead', description: 'Attempts or time are used up' },
			{ name: 'Review', value: 'review', description: 'A person has to decide' },
		],
		default: 'dead',
		displayOptions: { show: of('replayMany') },
	},
	{
		displayName: 'Work',
		name: 'work',
		type: 'string',
		default: '={{ $json.work_id }}',
		required: true,
		description: "The work's ID, its beginning, or the readable key",
		displayOptions: { show: of('replay') },
	},
	{
		displayName: 'Replay ID',
		name: 'replayId',
		type: 'string',
		default: "={{ $json.work_id + ':' + $json.updated_ms }}",
		description: 'With the same ID it is replayed once, however often this node runs',
		displayOptions: { show: of('replay') },
	},
	{
		displayName: 'Reason',
		name: 'reason',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'The CRM is back',
		description: 'Why, for those who read the evidence',
		displayOptions: { show: of('replay', 'replayMany') },
	},
	{
		displayName: 'Dry Run',
		name: 'dryRun',
		type: 'boolean',
		default: true,
		description: 'Whether to count only',
		displayOptions: { show: of('replayMany') },
	},
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
		displayOptions: { show: of('getAll') },
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 50,
		description: 'Max number of results to return',
		displayOptions: { show: { ...of('getAll'), returnAll: [false] as unknown as string[] } },
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 50,
		description: 'Max number of results to return',
		displayOptions: { show: of('replayMany') },
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show: of('getAll') },
		options: [stepOption()],
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show: of('replayMany') },
		options: [
			{
				displayName: 'Cause',
				name: 'cause',
				type: 'string',
				default: '',
				description: 'Only works whose cause holds this text',
			},
			{
				displayName: 'Spread (Milliseconds)',
				name: 'everyMs',
				type: 'number',
				default: 0,
				description: 'How long after the one before it each of them is due',
			},
			stepOption(),
		],
	},
];

function stepOption(): INodeProperties {
	return {
		displayName: 'Step',
		name: 'step',
		type: 'string',
		default: '',
		description: 'Only works of this step',
	};
}
