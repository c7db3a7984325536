// Builds the package into `dist`, as npm packs it, and with `--tests` the tests into `out` as well.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

function compile(project) {
	execFileSync(process.execPath, [tsc, '--project', join(root, project)], { stdio: 'inherit' });
}

// What n8n reads beside the programs: icons, and what its node panel says.
function copyAssets(out) {
	cpSync(join(root, 'icons'), join(out, 'icons'), { recursive: true });
	for (const node of readdirSync(join(root, 'nodes'))) {
		const codex = join('nodes', node, `${node}.node.json`);
		mkdirSync(dirname(join(out, codex)), { recursive: true });
		cpSync(join(root, codex), join(out, codex));
	}
}

rmSync(join(root, 'dist'), { recursive: true, force: true });
compile('tsconfig.json');
copyAssets(join(root, 'dist'));
if (process.argv.includes('--tests')) {
	rmSync(join(root, 'out'), { recursive: true, force: true });
	compile('tsconfig.tests.json');
}
