import type { INodeProperties } from 'n8n-workflow';
import { CLAIM_FIELDS } from './claim';
import { holding, result, wait } from './common';

const RESOURCE = { resource: ['work'] };
const of = (...operation: string[]) => ({ ...RESOURCE, operation });

const RECORD: INodeProperties[] = [
	{
		displayName: 'Effect',
		name: 'effect',
		type: 'string',
		default: 'write',
		required: true,
		description: 'The effect that has happened, as the Claim named it',
		displayOptions: { show: of('recordEffect') },
	},
	{
		displayName: 'Reference',
		name: 'reference',
		type: 'string',
		default: '',
		placeholder: 'deal-7',
		description: 'The ID that the third party gave, for those who look for it later',
		displayOptions: { show: of('recordEffect') },
	},
	{
		displayName: 'Finish',
		name: 'finish',
		type: 'boolean',
		default: true,
		description: 'Whether the work is done with this, so that repeats get the result',
		displayOptions: { show: of('recordEffect') },
	},
	result({ ...of('recordEffect'), finish: [true] as unknown as string[] }),
];

const RELEASE: INodeProperties[] = [
	{
		displayName: 'Outcome',
		name: 'outcome',
		type: 'options',
		options: [
			{ name: 'Again Later', value: 'retry', description: 'It has not happened; the next claim does it' },
			{ name: 'Done', value: 'done', description: 'It has happened; repeats get the result' },
			{ name: 'In Doubt', value: 'doubt', description: 'It may have happened; a person finds out' },
			{ name: 'Rejected', value: 'reject', description: 'It can never succeed' },
			{ name: 'Review', value: 'review', description: 'A person decides whether it goes on' },
		],
		default: 'done',
		description: 'How the claim ends',
		displayOptions: { show: of('release') },
	},
	result({ ...of('release'), outcome: ['done'] }),
	{
		displayName: 'Cause',
		name: 'cause',
		type: 'string',
		default: '={{ $json.error?.message ?? $json.error ?? "" }}',
		required: true,
		description: 'Why, for those who read the evidence',
		displayOptions: { show: { ...of('release'), outcome: ['retry', 'reject', 'review', 'doubt'] } },
	},
	{
		displayName: 'Not Before (Seconds)',
		name: 'dueInSeconds',
		type: 'number',
		default: 0,
		description: 'How long the next claim has to wait',
		displayOptions: { show: { ...of('release'), outcome: ['retry'] } },
	},
	{
		displayName: 'Then Fail',
		name: 'thenFail',
		type: 'boolean',
		default: true,
		description:
			'Whether the execution fails after it, so that whoever sent the event is told and sends it again',
		displayOptions: { show: { ...of('release'), outcome: ['retry'] } },
	},
];

const GET: INodeProperties[] = [
	{
		displayName: 'Work',
		name: 'work',
		type: 'string',
		default: '={{ $json.onceward.workId }}',
		required: true,
		description: "The work's ID, its beginning, or the readable key",
		displayOptions: { show: of('get') },
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show: of('get') },
		options: [
			{
				displayName: 'Whole Family',
				name: 'family',
				type: 'boolean',
				default: false,
				description: 'Whether to get all works that came of the same event',
			},
		],
	},
];

/** The operations of a work. */
export const WORK: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: RESOURCE },
		options: [
			{
				name: 'Advance Progress',
				value: 'advance',
				action: 'Advance the progress of a work',
				description: 'Move the handoff on to a stage; it never goes back',
			},
			{
				name: 'Claim',
				value: 'claim',
				action: 'Claim a work',
				description: 'Ask whether you may act: only the first gets the work, repeats get the first result',
			},
			{
				name: 'Get',
				value: 'get',
				action: 'Get a work',
				description: 'Get a work with its evidence, its decisions, its messages and how often it came again',
			},
			{
				name: 'Record Effect',
				value: 'recordEffect',
				action: 'Record the effect of a work',
				description: 'Say that what you were about to do has happened, and finish the work',
			},
			{
				name: 'Release',
				value: 'release',
				action: 'Release a work',
				description: 'End a claim: done, again later, rejected, for a person, or in doubt',
			},
		],
		default: 'claim',
	},
	...CLAIM_FIELDS,
	...holding(of('recordEffect', 'release', 'advance')),
	...RECORD,
	...RELEASE,
	{
		displayName: 'Stage',
		name: 'stage',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'matched',
		description: "One of the operator's stages",
		displayOptions: { show: of('advance') },
	},
	...GET,
	wait(of('recordEffect', 'release', 'advance')),
];
