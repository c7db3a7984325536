import { deepEqual, equal } from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { PACKAGE } from './world/parts';

/** What a verified node may import. */
const ALLOWED = ['n8n-workflow', 'crypto'];

describe('the package', () => {
	const manifest = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as Record<string, Record<string, unknown>>;

	it('what_is_packed_is_what_n8n_loads_and_no_more', () => {
		const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--silent'], { cwd: PACKAGE, encoding: 'utf8' });
		const [{ files }] = JSON.parse(packed) as [{ files: Array<{ path: string }> }];
		const others = files.map(({ path }) => path).filter((path) => !path.startsWith('dist/'));
		deepEqual(others.sort(), ['LICENSE.md', 'README.md', 'package.json']);
		const named = [...(manifest.n8n?.nodes as string[]), ...(manifest.n8n?.credentials as string[])];
		deepEqual(named.filter((name) => !files.some(({ path }) => path === name)), []);
	});

	it('it_depends_on_nothing_at_run_time', () => {
		deepEqual([manifest.dependencies, Object.keys(manifest.peerDependencies ?? {})], [undefined, ['n8n-workflow']]);
		const imported = programs(join(PACKAGE, 'dist')).flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/require\("([^.][^"]*)"\)/g)]);
		deepEqual([...new Set(imported.map(([, name]) => name ?? ''))].filter((name) => !ALLOWED.includes(name)), []);
	});

	it('the_lock_files_name_no_registry', () => {
		for (const folder of ['.', 'lint', join('tests', 'n8n-2.8.4')]) {
			equal(readFileSync(join(PACKAGE, folder, 'package-lock.json'), 'utf8').includes('"resolved"'), false, folder);
		}
	});

	it('it_keeps_the_rules_for_verified_nodes', () => {
		const linter = join(PACKAGE, 'lint', 'node_modules', 'eslint', 'bin', 'eslint.js');
		const args = [linter, '--config', join('lint', 'eslint.config.mjs'), '--max-warnings', '0', '.'];
		const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: PACKAGE, encoding: 'utf8' });
		equal(status, 0, `${stdout}${stderr}`);
	});
});

function programs(dir: string): string[] {
	return readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js')).map((name) => join(dir, name));
}
