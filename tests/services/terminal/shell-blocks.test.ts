import { execFile } from 'node:child_process';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { SHELLS } from '../support/shells.ts';
import { openTerminal, PASTES } from '../support/terminal.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
/** The programs that the blocks start. The test replaces each with a program that only records its arguments. */
const PROGRAMS = ['auth-gateway', 'npm', 'npx', 'node', 'docker', 'diff', 'sh', 'sudo'];
const WRITE_DOWN = `#!/bin/sh
printf '%s\\n' "$(basename "$0")" "$@" . >> "$WRITTEN_DOWN"
`;
/** The tour really runs: readme-tour.test.ts. */
const isTour = (code: string) => code.includes('curl');

interface Block {
  /** The file, and which of its blocks. */
  place: string;
  code: string;
}

/** All shell blocks in the documentation of this repository, except the tour. */
async function shellBlocks(): Promise<Block[]> {
  const names = await Promise.all(
    ['docs', 'src', 'bench', 'deploy', 'schema', 'examples', 'storage', '.'].map(async (folder) => {
      const files = await readdir(path.join(ROOT, folder), { recursive: folder !== '.' });
      return files.map((file) => path.join(folder, file));
    }),
  );
  const documents = names.flat().filter((name) => name.endsWith('.md') && !name.includes('node_modules'));
  const blocks = await Promise.all(
    documents.map(async (name) => {
      const text = await readFile(path.join(ROOT, name), 'utf8');
      const codes = [...text.matchAll(/^```(?:sh|bash|shell)\n(.*?)^```/gms)].map(([, code = '']) => code);
      return codes.map((code, index) => ({ place: `${name}, block ${index + 1}`, code }));
    }),
  );
  return blocks.flat().filter(({ code }) => !isTour(code));
}

const folder = temporaryFolder();
let env: Record<string, string>;

beforeAll(async () => {
  for (const name of PROGRAMS) {
    await writeFile(path.join(folder, name), WRITE_DOWN);
    await chmod(path.join(folder, name), 0o755);
  }
  // The settings of the move from the legacy service.
  await writeFile(path.join(folder, 'move.env'), '');
  env = {
    PATH: `${folder}:${process.env.PATH}`,
    WRITTEN_DOWN: path.join(folder, 'written-down'),
    MONGODB_URI: 'mongodb://127.0.0.1:1/',
    LEGACY_FILES: '/legacy',
  };
});

/** Runs an act that runs a block, and returns the recorded arguments of the programs, one a line. */
async function askedBy(run: () => Promise<unknown>): Promise<string> {
  await writeFile(path.join(folder, 'written-down'), '');
  await run();
  return readFile(path.join(folder, 'written-down'), 'utf8');
}

/** Runs the block as a script, in which comments are comments and `!` is a normal character. */
const askedByScript = (code: string) =>
  askedBy(() => promisify(execFile)('bash', ['-euc', code], { cwd: folder, env }));

test('the documentation has shell blocks, including the move of the embedded database', async () => {
  const blocks = await shellBlocks();
  const move = blocks.find(({ code }) => code.includes('db move'))?.code ?? '';
  expect(await askedByScript(move)).toBe('auth-gateway\ndb\nmove\n.\n');
});

describe.each(SHELLS)('%s', (shell) => {
  test.each(PASTES)(
    'does the same as a script with every block of the documentation, pasted %s',
    async (how) => {
      const differing: string[] = [];
      const terminal = await openTerminal(shell, env);
      try {
        for (const { place, code } of await shellBlocks()) {
          await terminal.paste(`cd ${folder}\n`, how);
          const pasted = await askedBy(() => terminal.paste(code, how));
          if (pasted !== (await askedByScript(code))) {
            differing.push(place);
          }
        }
      } finally {
        await terminal.close();
      }
      expect(differing).toEqual([]);
    },
  );
});
