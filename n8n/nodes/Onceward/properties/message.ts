import type { INodeProperties } from 'n8n-workflow';
import { holding, wait } from './common';

const RESOURCE = { resource: ['message'] };

/** The operations of an outbound message. */
export const MESSAGE: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: RESOURCE },
		options: [
			{
				name: 'Enqueue',
				value: 'enqueue',
				action: 'Enqueue a message',
				description: 'Have the host deliver something to a destination, once, with retries and dead letters',
			},
		],
		default: 'enqueue',
	},
	...holding(RESOURCE),
	{
		displayName: 'Destination',
		name: 'destination',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'crm',
		description: "The destination, by the operator's name",
		displayOptions: { show: RESOURCE },
	},
	{
		displayName: 'Slot',
		name: 'slot',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'deal',
		description: "The message's name within the work. The same slot is the same message, at whichever attempt.",
		displayOptions: { show: RESOURCE },
	},
	{
		displayName: 'Payload',
		name: 'payload',
		type: 'json',
		default: '={{ $json }}',
		required: true,
		description: 'What is sent, to the byte. The member "onceward" is left out.',
		displayOptions: { show: RESOURCE },
	},
	wait(RESOURCE),
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show: RESOURCE },
		options: [
			{
				displayName: 'Approval Expires After (Hours)',
				name: 'approvalHours',
				type: 'number',
				default: 0,
				description: 'How long it can be approved; 0 is for ever',
			},
			{
				displayName: 'Approval Reason',
				name: 'approvalReason',
				type: 'string',
				default: '',
				description: 'Why a person must approve it first. Without a reason it goes out at once.',
			},
			{
				displayName: 'Effect Version',
				name: 'effectVersion',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: 1,
				description: "The effect's own version; another one is another effect",
			},
			{
				displayName: 'Ordering Key',
				name: 'orderingKey',
				type: 'string',
				default: '',
				description: 'Messages to a destination with the same key leave in their order',
			},
			{
				displayName: 'Receipt Step',
				name: 'receiptStep',
				type: 'string',
				default: '',
				description: 'The step of the host that goes on from the receipt',
			},
		],
	},
];
