import { cp, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { install, pack, ROOT, runIn, type Tarball } from '../../support/consumer.ts';
import { aPdf } from '../../support/documents.ts';
import { freshEmail } from '../../support/people.ts';
import { codeUnder } from '../../support/readme.ts';
import { useTestApp } from '../../support/test-app.ts';

const README = 'packages/client/README.md';
/** The address in the examples. */
const ADDRESS = 'http://127.0.0.1:4000';
const PACKED_SCHEMA = 'node_modules/@auth-gateway/client/schema.graphql';
/** npm may have to fetch packages that its cache lacks. */
const INSTALL_MILLIS = 600_000;

const app = useTestApp();

/** A folder outside this repository, so that only installed packages are found there. */
let folder: string;
/** A project with only the packed client. */
let programs: string;
/** A project with TypeScript 5 and Apollo Client. */
let recipes: string;
let tarball: Tarball;

/** Compiles a project, by its file or folder, with TypeScript 5. */
const tsc = (project: string) => {
  const { compiler, types } = tools();
  return runIn(folder, compiler, '--typeRoots', types, '--project', project);
};
const tools = () => ({
  compiler: path.join(recipes, 'node_modules/.bin/tsc'),
  types: path.join(recipes, 'node_modules/@types'),
});

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-consumer-'));
  await cp(path.join(ROOT, 'packages/client/tests/consumer'), folder, { recursive: true });
  programs = path.join(folder, 'programs');
  recipes = path.join(folder, 'recipes');
  [tarball] = (await pack(folder, 'packages/client')) as [Tarball];
  await install(programs, '--offline', tarball.file);
  await install(recipes, tarball.file);
}, INSTALL_MILLIS);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the installed package', () => {
  test('adds one package of less than 250 KB to an empty project', async () => {
    const lock = JSON.parse(await readFile(path.join(programs, 'node_modules/.package-lock.json'), 'utf8'));
    expect(Object.keys(lock.packages)).toEqual(['node_modules/@auth-gateway/client']);
    expect(await sizeOf(path.join(programs, 'node_modules'))).toBeLessThan(250_000);
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
  runIn(programs, tools().compiler, '--build', 'tsconfig.node10.json', 'tsconfig.bundler.json'));

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
    await tsc('programs/tsconfig.node16.json');
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

/** Both recipes of the README, and for each the source of the schema and the answers that its program gets. */
const RECIPES = [
  {
    heading: 'For Apollo Client and other clients that take documents',
    name: 'apollo',
    schema: () => PACKED_SCHEMA,
    answers: ['Apollo', { isPatient: true, isDated: true, isTakenEmailRefused: true }],
  },
  {
    heading: 'For clients that send text',
    name: 'strings',
    schema: () => `${app.url}/graphql`,
    answers: ['Strings', { isPatient: true, isTakenEmailRefused: true }],
  },
];

describe('codegen', () => {
  beforeAll(async () => {
    // GraphQL Code Generator is some five hundred packages: it comes from this repository.
    await symlink(
      path.join(ROOT, 'node_modules/@graphql-codegen'),
      path.join(recipes, 'node_modules/@graphql-codegen'),
    );
    for (const { name } of RECIPES) {
      await symlink(path.join(recipes, 'node_modules'), path.join(recipes, name, 'node_modules'));
    }
  });

  test.each(RECIPES)(
    '"$heading" generates code that compiles strictly and gets answers',
    async ({ heading, name, schema, answers }) => {
      const project = path.join(recipes, name);
      const recipe = await codeUnder(heading, 'ts', README);
      expect(recipe).toContain(PACKED_SCHEMA);
      await writeFile(path.join(project, 'codegen.ts'), recipe.replace(PACKED_SCHEMA, schema()));
      await runIn(project, path.join(ROOT, 'node_modules/.bin/graphql-codegen'), '--silent');
      await tsc(`recipes/${name}`);
      // The programs are written for a bundler.
      const vite = path.join(ROOT, 'node_modules/.bin/vite');
      await runIn(project, vite, 'build', '--ssr', 'src/visit.ts', '--logLevel', 'warn');
      const visit = `import { visit } from './dist/visit.js';
      console.log(JSON.stringify(await visit(...process.argv.slice(1))))`;
      const output = await runIn(
        project,
        'node',
        '--input-type=module',
        '--eval',
        visit,
        app.url,
        freshEmail(),
      );
      expect(JSON.parse(output)).toEqual(answers);
    },
  );
});

test.each([
  ['module', "import { createAuthClient } from '@auth-gateway/client'; createAuthClient({});"],
  ['commonjs', "const { createAuthClient } = require('@auth-gateway/client'); createAuthClient({});"],
])('a JavaScript program (%s) that passes no address gets an error that says so', async (type, program) => {
  await expect(runIn(programs, 'node', `--input-type=${type}`, '--eval', program)).rejects.toThrow(
    'TypeError: createAuthClient needs the option "url"',
  );
});
