import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

/** Below this package, so that TypeScript finds React. */
const FOLDER = path.resolve('packages/client/node_modules/.readme');
const PRELUDE = `import type { AuthClient } from '@auth-gateway/client';\ndeclare const client: AuthClient;\n`;
const SETTINGS = {
  extends: '../../../../tsconfig.json',
  compilerOptions: {
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    types: [],
    module: 'ESNext',
    moduleResolution: 'Bundler',
    jsx: 'react-jsx',
    incremental: false,
    paths: {
      '@auth-gateway/client': ['../../src/index.ts'],
      '@auth-gateway/client/react': ['../../src/react/index.ts'],
    },
  },
};

afterAll(() => rm(FOLDER, { recursive: true, force: true }));

test('the examples of the README compile in strict mode', async () => {
  const readme = await readFile('packages/client/README.md', 'utf8');
  const examples = [...readme.matchAll(/```(tsx?)\n([\s\S]*?)```/g)];
  expect(examples.length).toBeGreaterThan(6);
  await mkdir(FOLDER, { recursive: true });
  const files = examples.map(([, kind], index) => `example-${index}.${kind}`);
  await writeFile(path.join(FOLDER, 'tsconfig.json'), JSON.stringify({ ...SETTINGS, files, include: [] }));
  for (const [index, [, , code = '']] of examples.entries()) {
    const prelude = code.includes('createAuthClient(') ? '' : PRELUDE;
    await writeFile(path.join(FOLDER, files[index] ?? ''), `${prelude}${code}\nexport {};\n`);
  }
  const tsc = path.resolve('node_modules/.bin/tsc');
  const { stdout } = await promisify(execFile)(tsc, ['--project', FOLDER]).catch((error) => error);
  expect(stdout).toBe('');
});
