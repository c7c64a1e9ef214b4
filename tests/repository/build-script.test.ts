import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Target } from '../../scripts/build/incremental.js';
import { eventually } from '../support/eventually.ts';

/** Copies `src/*.ts` to `dist/*.js`, and counts its runs. It fails if a source says so, and waits if there is `wait`. */
const COMPILER = `
  const fs = require('node:fs');
  fs.appendFileSync('runs', '.');
  fs.mkdirSync('dist', { recursive: true });
  const sources = fs.readdirSync('src').map((name) => [name, fs.readFileSync('src/' + name, 'utf8')]);
  while (fs.existsSync('wait')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  for (const [name, text] of sources) fs.writeFileSync('dist/' + name.replace('.ts', '.js'), text);
  process.exit(sources.some(([, text]) => text === 'wrong') ? 1 : 0);
`;

const TARGET: Target = {
  title: 'the copy',
  inputs: ['src'],
  outputs: ['dist'],
  commands: [['compiler.cjs']],
  compiled: [['src', 'dist']],
};

let root: string;
const at = (name: string) => path.join(root, name);
const put = (name: string, text: string) => writeFileSync(at(name), text);
const built = (name: string) => readFileSync(at(name), 'utf8');
const runs = () => (existsSync(at('runs')) ? built('runs').length : 0);
const children: ChildProcess[] = [];

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'auth-gateway-build-'));
  mkdirSync(at('src'));
  mkdirSync(at('node_modules'));
  put('compiler.cjs', COMPILER);
  put('node_modules/.package-lock.json', '{}');
  put('src/one.ts', 'one');
  put('src/two.ts', 'two');
});
afterEach(async () => {
  for (const child of children) {
    child.kill('SIGKILL');
  }
  await rm(root, { recursive: true, force: true });
});

/** Builds, and returns the lines for people and whether it succeeded. */
async function make(): Promise<{ isDone: boolean; lines: string[] }> {
  const lines: string[] = [];
  const isDone = await build(root, { copy: TARGET }, (line) => lines.push(line));
  return { isDone, lines };
}

/** Builds in a process of its own. */
function makeElsewhere(): ChildProcess {
  const script = pathToFileURL(path.resolve('scripts/build/incremental.js')).href;
  const program = `import { build } from ${JSON.stringify(script)};
    await build(${JSON.stringify(root)}, { copy: ${JSON.stringify(TARGET)} }, (line) => console.log(line));`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program]);
  children.push(child);
  return child;
}

test('a build runs once, says so in one line, and is skipped while nothing changes', async () => {
  expect(await make()).toEqual({ isDone: true, lines: ['Building the copy …'] });
  expect(await make()).toEqual({ isDone: true, lines: [] });
  expect(runs()).toBe(1);
});

test.each<[string, () => void]>([
  ['a source was edited', () => put('src/one.ts', 'ONE!')],
  [
    'a source was replaced by one of the same size and date',
    () => {
      const { atime, mtime } = statSync(at('src/one.ts'));
      put('src/one.ts', 'ONE');
      utimesSync(at('src/one.ts'), atime, mtime);
    },
  ],
  ['a source has a date in the future', () => utimesSync(at('src/one.ts'), 4e9, 4e9)],
  ['a source is new', () => put('src/three.ts', 'three')],
  ['a source was renamed', () => renameSync(at('src/one.ts'), at('src/uno.ts'))],
  ['a source is gone', () => rmSync(at('src/one.ts'))],
  ['a package was installed', () => put('node_modules/.package-lock.json', '{"other":1}')],
  ['an output is gone', () => rmSync(at('dist/one.js'))],
  ['an output was overwritten', () => put('dist/one.js', 'o')],
  ['all outputs are gone', () => rmSync(at('dist'), { recursive: true })],
  ['the mark of the last build is cut off', () => put('node_modules/.cache/build/copy.json', '{"sou')],
])('a build runs again if %s, and leaves no output without a source', async (_, change) => {
  await make();
  change();
  expect(await make()).toMatchObject({ isDone: true, lines: ['Building the copy …'] });
  expect(runs()).toBe(2);
  for (const name of ['one', 'two', 'three', 'uno']) {
    const source = at(`src/${name}.ts`);
    expect(existsSync(at(`dist/${name}.js`)) && built(`dist/${name}.js`)).toBe(
      existsSync(source) && readFileSync(source, 'utf8'),
    );
  }
  expect((await make()).lines).toEqual([]);
});

test('a failed build fails again until the source is fixed', async () => {
  put('src/one.ts', 'wrong');
  expect((await make()).isDone).toBe(false);
  expect((await make()).isDone).toBe(false);
  put('src/one.ts', 'right');
  expect((await make()).isDone).toBe(true);
  expect((await make()).lines).toEqual([]);
});

test('a source that changes during a build is built the next time', async () => {
  put('wait', '');
  const building = make();
  await eventually(() => expect(runs()).toBe(1));
  put('src/one.ts', 'later');
  rmSync(at('wait'));
  await building;
  await make();
  expect(built('dist/one.js')).toBe('later');
});

test('a build that was killed is made again, and its lock is taken over', async () => {
  await make();
  put('src/one.ts', 'changed');
  put('wait', '');
  const killed = makeElsewhere();
  await eventually(() => expect(runs()).toBe(2));
  killed.kill('SIGKILL');
  // Not "close": its compiler lives on.
  await once(killed, 'exit');
  rmSync(at('wait'));
  expect((await make()).isDone).toBe(true);
  expect(built('dist/one.js')).toBe('changed');
  expect(existsSync(at('node_modules/.cache/build/lock'))).toBe(false);
});

test('a second build waits for the first, says so, and has nothing left to do', async () => {
  put('wait', '');
  const first = makeElsewhere();
  await eventually(() => expect(runs()).toBe(1));
  const lines: string[] = [];
  const second = build(root, { copy: TARGET }, (line) => lines.push(line));
  await eventually(() => expect(lines).toEqual([`Waiting for another build (process ${first.pid}).`]));
  rmSync(at('wait'));
  expect(await second).toBe(true);
  expect(runs()).toBe(1);
});

test('a folder that cannot be written is reported in one line', async () => {
  put('node_modules/.cache', 'a file');
  const { isDone, lines } = await make();
  expect(isDone).toBe(false);
  expect(lines).toEqual([expect.stringMatching(/^The build has failed: .*node_modules\/\.cache/)]);
});

test('without its tools, a build is used as it is, but not with other sources', async () => {
  await make();
  rmSync(at('compiler.cjs'));
  put('node_modules/.package-lock.json', '{"development":"pruned"}');
  expect(await make()).toEqual({ isDone: true, lines: [] });
  put('src/one.ts', 'changed');
  expect(await make()).toEqual({
    isDone: false,
    lines: ['compiler.cjs is missing. Run npm install, with the development packages.'],
  });
});
