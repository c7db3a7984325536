import type { INodeProperties } from 'n8n-workflow';
import { holding, wait } from './common';

const RESOURCE = { resource: ['decision'] };
const of = (...operation: string[]) => ({ ...RESOURCE, operation });
const QUESTION = of('store', 'ask');

/** The operations of a decision. */
export const DECISION: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: RESOURCE },
		options: [
			{
				name: 'Ask',
				value: 'ask',
				action: 'Ask a model once',
				description: 'Have a model of the host answer, once; a retry gets the same answer',
			},
			{
				name: 'Recall',
				value: 'recall',
				action: 'Recall a decision',
				description: 'Get the answer that this work has already',
			},
			{
				name: 'Store',
				value: 'store',
				action: 'Store a decision',
				description: 'Keep an answer that you got yourself; the first one stands and is given back',
			},
		],
		default: 'recall',
	},
	...holding(RESOURCE),
	{
		displayName: 'Slot',
		name: 'slot',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'classification',
		description: "The decision's name within the work",
		displayOptions: { show: RESOURCE },
	},
	{
		displayName: 'Model',
		name: 'model',
		type: 'string',
		default: '',
		required: true,
		description: 'The model that was asked; with Ask, one that the operator of the host has configured',
		displayOptions: { show: QUESTION },
	},
	{
		displayName: 'Prompt Version',
		name: 'promptVersion',
		type: 'string',
		default: '1',
		required: true,
		description: 'Raise it when the prompt is changed, so that the question counts as another one',
		displayOptions: { show: QUESTION },
	},
	{
		displayName: 'Prompt',
		name: 'prompt',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		description: 'The instructions',
		displayOptions: { show: QUESTION },
	},
	{
		displayName: 'Input',
		name: 'input',
		type: 'json',
		default: '={{ $json }}',
		required: true,
		description: 'What is decided on',
		displayOptions: { show: QUESTION },
	},
	{
		displayName: 'Answer',
		name: 'answer',
		type: 'json',
		default: '={{ $json }}',
		required: true,
		description: 'What the model said',
		displayOptions: { show: of('store') },
	},
	wait(RESOURCE),
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		displayOptions: { show: QUESTION },
		options: [
			{
				displayName: 'Answer Schema',
				name: 'schema',
				type: 'json',
				default: '',
				description: 'A JSON Schema that the answer must satisfy; another answer is not kept',
			},
			{
				displayName: 'Temperature',
				name: 'temperature',
				type: 'number',
				typeOptions: { minValue: 0, maxValue: 2, numberPrecision: 2 },
				default: 0,
				description: 'The sampling temperature, which is part of the question',
			},
		],
	},
];
