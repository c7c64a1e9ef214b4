import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { aPdf } from '../../../tests/support/documents.ts';
import { freshEmail } from '../../../tests/support/people.ts';
import { codeUnder } from '../../../tests/support/readme.ts';
import { useTestApp } from '../../../tests/support/test-app.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const FIXTURE = path.join(import.meta.dirname, 'consumer');
/** The address in the README. */
const ADDRESS = /http:\/\/127\.0\.0\.1:4000(\/graphql)?/;
/** npm fetches some five hundred packages, from its cache where it can. */
const INSTALL_MILLIS = 600_000;
const COMPILE_MILLIS = 300_000;

const app = useTestApp();

/** A project of somebody else's, outside of this one, into which the packed package is installed. */
let project: string;

/** Runs a program in the project and gives what it writes; what a failing one writes becomes the error's text. */
const run = (program: string, ...args: string[]) => runIn('.', program, ...args);

/** Likewise, in a folder of the project. */
async function runIn(folder: string, program: string, ...args: string[]): Promise<string> {
  // Jest's own options are for Jest.
  const env = { ...process.env, NODE_OPTIONS: '' };
  const running = promisify(execFile)(program, args, { cwd: path.join(project, folder), env });
  const { stdout } = await running.catch(({ message, stdout }: { message: string; stdout: string }) => {
    throw new Error(`${message}\n${stdout}`);
  });
  return stdout;
}
const tool = (name: string) => path.join(project, 'node_modules/.bin', name);
const runTool = (name: string, ...args: string[]) => run(tool(name), ...args);

/** Code from the README, with the running gateway's address in the place of the usual one. */
async function fromReadme(heading: string, address = app.url): Promise<string> {
  const code = await codeUnder(heading, 'ts');
  expect(code).toMatch(ADDRESS);
  return code.replace(ADDRESS, address);
}

beforeAll(async () => {
  project = await mkdtemp(path.join(tmpdir(), 'auth-gateway-consumer-'));
  await cp(FIXTURE, project, { recursive: true });
  for (const name of ['license.pdf', 'diploma.pdf', 'certification.pdf'])
    await writeFile(path.join(project, name), aPdf().bytes);
  await writeFile(path.join(project, 'readme.mts'), await fromReadme('A typed client'));
  // The scripts would build anew what other tests are using.
  await run('npm', 'pack', ROOT, '--ignore-scripts', '--silent');
  const tarball = (await readdir(project)).find((name) => name.endsWith('.tgz'));
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--silent'];
  await run('npm', 'install', ...options, `./${tarball}`);
}, INSTALL_MILLIS);

afterAll(() => rm(project, { recursive: true, force: true }));

test('the package holds what is built and the schema, and nothing of the sources or the tests', async () => {
  const folder = path.join(project, 'node_modules/auth-gateway');
  expect((await readdir(folder)).sort()).toEqual([
    'LICENSE',
    'README.md',
    'dist',
    'package.json',
    'pages',
    'schema',
  ]);
  const [, packed, ours] = await Promise.all([
    run('node', '--eval', "require.resolve('auth-gateway/schema.graphql')"),
    readFile(path.join(folder, 'schema/schema.graphql'), 'utf8'),
    readFile(path.join(ROOT, 'schema/schema.graphql'), 'utf8'),
  ]);
  expect(packed).toBe(ours);
});

describe('a program for Node.js', () => {
  beforeAll(async () => {
    await runTool('tsc', '--project', 'tsconfig.node.json');
  }, COMPILE_MILLIS);

  test('that is an ES module compiles strictly, and runs', async () => {
    const output = await run('node', 'out/esm.mjs', app.url, freshEmail());
    expect(JSON.parse(output)).toEqual([
      'Esm (PATIENT)',
      'INVALID_CREDENTIALS',
      'The email field must be a valid email address.',
      true,
    ]);
  });

  test('that is CommonJS compiles strictly, and runs', async () => {
    const output = await run('node', 'out/common.cjs', app.url, freshEmail());
    expect(JSON.parse(output)).toMatchObject(['DOCTOR', { specialization: 'Surgery' }]);
  });

  test('that was copied from the README compiles strictly, and runs', async () => {
    expect(await run('node', 'out/readme.mjs')).toContain(`${app.url}/storage/licenses/`);
    expect(await run('node', 'out/readme.mjs')).toContain('The email has already been taken.');
  });
});

/** Both recipes of the README, and the project that follows each of them exactly. */
const RECIPES = [
  { heading: 'For Apollo Client and other clients that take documents', folder: 'apollo' },
  { heading: 'For clients that send text', folder: 'strings' },
];
const ANSWERS = {
  apollo: ['Apollo', { isPatient: true, isDated: true, isTakenEmailRefused: true }],
  strings: ['Strings', { isPatient: true, isTakenEmailRefused: true }],
};

describe.each(RECIPES)('codegen "$heading"', ({ heading, folder }) => {
  /** Follows the recipe and returns the generated files. */
  const generate = async (schema: string): Promise<string[]> => {
    const generated = path.join(project, folder, 'src/gql');
    await rm(generated, { recursive: true, force: true });
    const recipe = await fromReadme(heading, schema);
    await writeFile(path.join(project, folder, 'codegen.ts'), recipe);
    await runIn(folder, tool('graphql-codegen'), '--silent');
    const names = (await readdir(generated)).sort();
    return Promise.all(names.map((name) => readFile(path.join(generated, name), 'utf8')));
  };

  test(
    'generates the same from the gateway and the package, and a page with it compiles strictly and gets answers',
    async () => {
      const fromPackage = await generate('../node_modules/auth-gateway/schema/schema.graphql');
      expect(await generate(`${app.url}/graphql`)).toEqual(fromPackage);
      await runTool('tsc', '--project', folder);
      // The programs are written for a page's bundler.
      const vite = path.join(ROOT, 'node_modules/.bin/vite');
      await runIn(folder, vite, 'build', '--ssr', 'src/visit.ts', '--logLevel', 'warn');
      const visit = `import { visit } from './${folder}/dist/visit.js';
        console.log(JSON.stringify(await visit(...process.argv.slice(1))))`;
      const output = await run('node', '--input-type=module', '--eval', visit, app.url, freshEmail());
      expect(JSON.parse(output)).toEqual(ANSWERS[folder as keyof typeof ANSWERS]);
    },
    COMPILE_MILLIS,
  );
});

test(
  'a page with the client compiles strictly',
  () => runTool('tsc', '--project', 'tsconfig.browser.json'),
  COMPILE_MILLIS,
);

describe('a JavaScript program', () => {
  test.each(['esm', 'cjs'])('without the address gets an error that says so (%s)', async (kind) => {
    const program =
      kind === 'esm'
        ? "import { createAuthClient } from '@auth-gateway/client'; createAuthClient({});"
        : "const { createAuthClient } = require('@auth-gateway/client'); createAuthClient({});";
    const type = kind === 'esm' ? 'module' : 'commonjs';
    await expect(run('node', `--input-type=${type}`, '--eval', program)).rejects.toThrow(
      'TypeError: createAuthClient needs the option "url"',
    );
  });
});
