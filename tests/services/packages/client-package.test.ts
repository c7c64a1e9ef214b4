import { cp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { install, pack, ROOT, runIn, type Tarball } from '../../support/consumer.ts';
import { aPdf } from '../../support/documents.ts';
import { freshEmail } from '../../support/people.ts';
import { codeUnder } from '../../support/readme.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { useTestApp } from '../../support/test-app.ts';

const README = 'packages/client/README.md';
/** The address in the examples. */
const ADDRESS = 'http://127.0.0.1:4000';
/** npm may have to fetch packages that its cache lacks. */
const INSTALL_MILLIS = 600_000;

const app = useTestApp();

/** A folder outside this repository, so that only installed packages are found there. */
const folder = temporaryFolder();
/** A project with only the packed client. */
let programs: string;
/** A project with TypeScript 5, so that the one before has nothing but the client. */
let tools: string;
let tarball: Tarball;

const compiler = () => path.join(tools, 'node_modules/.bin/tsc');

beforeAll(async () => {
  await cp(path.join(ROOT, 'packages/client/tests/consumer'), folder, { recursive: true });
  programs = path.join(folder, 'programs');
  tools = path.join(folder, 'tools');
  [tarball] = (await pack(folder, 'packages/client')) as [Tarball];
  await install(programs, '--offline', tarball.file);
  await install(tools);
}, INSTALL_MILLIS);

describe('the installed package', () => {
  test('adds one package of less than 530 KB to an empty project', async () => {
    const lock = JSON.parse(await readFile(path.join(programs, 'node_modules/.package-lock.json'), 'utf8'));
    expect(Object.keys(lock.packages)).toEqual(['node_modules/@auth-gateway/client']);
    expect(await sizeOf(path.join(programs, 'node_modules'))).toBeLessThan(530_000);
  });

  test('has the built files, the schema, a README and a license, but no sources and no tests', async () => {
    const places = new Set(tarball.contents.map((name) => name.split('/')[0]));
    expect([...places].sort()).toEqual([
      'LICENSE',
      'README.md',
      'dist',
      'package.json',
      'react',
      'schema.graphql',
      'server',
    ]);
    expect(tarball.contents.filter((name) => /\.ts$/.test(name) && !/\.d\.ts$/.test(name))).toEqual([]);
  });

  test('has the schema of the gateway, under a name that codegen can resolve', async () => {
    const resolve = "console.log(require.resolve('@auth-gateway/client/schema.graphql'))";
    const packed = (await runIn(programs, 'node', '--print', resolve)).split('\n')[0] ?? '';
    expect(await readFile(packed, 'utf8')).toBe(
      await readFile(path.join(ROOT, 'schema/schema.graphql'), 'utf8'),
    );
  });
});

/** The bytes of all files in a folder. */
async function sizeOf(place: string): Promise<number> {
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => (await stat(path.join(parentPath, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

test('strict programs compile under the module resolutions node10 and bundler', () =>
  // As one build, so that the compiler reads its own declarations once.
  runIn(programs, compiler(), '--build', 'tsconfig.node10.json', 'tsconfig.bundler.json'));

describe('a strict program for Node.js, compiled under the module resolution node16,', () => {
  beforeAll(async () => {
    for (const name of ['license.pdf', 'diploma.pdf', 'certification.pdf']) {
      await writeFile(path.join(programs, name), aPdf().bytes);
    }
    const examples = {
      own: await codeUnder('Example', 'ts', README),
      root: await codeUnder('A typed client', 'ts'),
    };
    for (const [name, code] of Object.entries(examples)) {
      expect(code).toContain(ADDRESS);
      await writeFile(path.join(programs, `${name}.mts`), code.replace(ADDRESS, app.url));
    }
    const types = path.join(tools, 'node_modules/@types');
    await runIn(programs, compiler(), '--typeRoots', types, '--project', 'tsconfig.node16.json');
  });

  test('runs as an ES module', async () => {
    const output = await runIn(programs, 'node', 'out/esm.mjs', app.url, freshEmail());
    expect(JSON.parse(output)).toEqual([
      'Esm (PATIENT)',
      'INVALID_CREDENTIALS',
      'The email field must be a valid email address.',
      true,
    ]);
  });

  test('runs as CommonJS', async () => {
    const output = await runIn(programs, 'node', 'out/common.cjs', app.url, freshEmail());
    expect(JSON.parse(output)).toMatchObject(['DOCTOR', { specialization: 'Surgery' }]);
  });

  test("runs as the README's example, and shows the gateway's error the second time", async () => {
    expect(await runIn(programs, 'node', 'out/own.mjs')).toContain(`${app.url}/storage/licenses/`);
    expect(await runIn(programs, 'node', 'out/own.mjs')).toContain('The email has already been taken.');
  });

  test("runs as the example in the repository's README, and shows the gateway's error the second time", async () => {
    expect(await runIn(programs, 'node', 'out/root.mjs')).toMatch(/^\w+ \w+\|/);
    expect(await runIn(programs, 'node', 'out/root.mjs')).toContain('The email has already been taken.');
  });
});

test.each([
  ['module', "import { createAuthClient } from '@auth-gateway/client'; createAuthClient({});"],
  ['commonjs', "const { createAuthClient } = require('@auth-gateway/client'); createAuthClient({});"],
])('a JavaScript program (%s) that passes no address gets an error that says so', async (type, program) => {
  await expect(runIn(programs, 'node', `--input-type=${type}`, '--eval', program)).rejects.toThrow(
    'TypeError: createAuthClient needs the option "url"',
  );
});
