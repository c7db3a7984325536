import type {
	IAuthenticateGeneric,
	ICredentialTestRequest,
	ICredentialType,
	Icon,
	INodeProperties,
} from 'n8n-workflow';

/** Where Onceward is, who asks, and what its deliveries are proved with. */
export class OncewardApi implements ICredentialType {
	name = 'oncewardApi';

	displayName = 'Onceward API';

	icon: Icon = { light: 'file:../icons/onceward.svg', dark: 'file:../icons/onceward.dark.svg' };

	documentationUrl = 'https://onceward.example/n8n';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: 'http://127.0.0.1:8470',
			required: true,
			placeholder: 'https://onceward.example.com',
			description: 'Where <code>onceward serve</code> is reached, without a path',
		},
		{
			displayName: 'Token',
			name: 'token',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description:
				'A token with the verbs <code>invoke,primitives,operate</code>, made with <code>onceward token create</code>. It belongs to one namespace.',
		},
		{
			displayName: 'Webhook Secret',
			name: 'webhookSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'For the Onceward Trigger alone: the secret that deliveries are signed with (<code>whsec_…</code>), or the value of the Authorization header that Onceward sends to n8n',
		},
	];

	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: { headers: { Authorization: '=Bearer {{$credentials.token}}' } },
	};

	// No item is claimed by it: it needs a token that may say primitives, and changes nothing.
	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{$credentials.baseUrl.replace(new RegExp("/+$"), "")}}',
			url: '/v1/primitives/claim/bulk',
			method: 'POST',
			body: { items: [] },
			json: true,
		},
	};
}
