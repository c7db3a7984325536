// The rules that n8n verifies community nodes by: what its own node-cli puts together for a package in strict mode, without
// the 700 MB that come with that program.
import js from '@eslint/js';
import { n8nCommunityNodesPlugin as community } from '@n8n/eslint-plugin-community-nodes';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import imports from 'eslint-plugin-import-x';
import nodesBase from 'eslint-plugin-n8n-nodes-base';
import { globalIgnores } from 'eslint/config';
import typescript from 'typescript-eslint';

export default typescript.config(
	globalIgnores(['dist', 'out', 'lint', 'scripts', 'tests', 'examples', 'node_modules']),
	{
		files: ['**/*.ts'],
		extends: [
			js.configs.recommended,
			typescript.configs.recommended,
			community.configs.recommended,
			imports.configs['flat/recommended'],
		],
		rules: {
			'prefer-spread': 'off',
			'no-console': 'error',
		},
	},
	{
		plugins: { 'n8n-nodes-base': nodesBase },
		settings: { 'import-x/resolver-next': [createTypeScriptImportResolver()] },
	},
	{
		files: ['package.json'],
		extends: [community.configs.recommended],
		rules: { ...nodesBase.configs.community.rules },
		languageOptions: { parser: typescript.parser, parserOptions: { extraFileExtensions: ['.json'] } },
	},
	{
		files: ['credentials/**/*.ts'],
		rules: {
			...nodesBase.configs.credentials.rules,
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
			'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		rules: {
			...nodesBase.configs.nodes.rules,
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
			'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
		},
	},
);
