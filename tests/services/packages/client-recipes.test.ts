import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { install, pack, ROOT, runIn } from '../../support/consumer.ts';
import { aPdf } from '../../support/documents.ts';
import { authenticated } from '../../support/expectations.ts';
import { aPatient, freshPassword } from '../../support/people.ts';
import { resetCodeOf } from '../../support/reset-codes.ts';
import { restApi } from '../../support/rest-api.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { useTestApp } from '../../support/test-app.ts';

// The folders of examples/clients, each in a project of its own.
const EXAMPLES = path.join(ROOT, 'examples/clients');
/** The address in the examples. */
const ADDRESS = 'http://127.0.0.1:4000';
/** The packages of this repository: those of GraphQL Code Generator are many, and TypeScript 7 is five times as fast as 5. */
const PACKAGES = path.join(ROOT, 'node_modules');
const CODEGEN_PACKAGES = path.join(ROOT, 'codegen/node_modules');
const PROGRAMS = path.join(PACKAGES, '.bin');
/** npm may have to fetch packages that its cache lacks. */
const INSTALL_MILLIS = 600_000;

const GRAPHQL_CLIENTS = ['apollo', 'urql', 'graphql-request'];
const PROJECTS = ['apollo', 'urql', 'graphql-request', 'node', 'react18', 'react19'];

const app = useTestApp();
const folder = temporaryFolder();

const folderOf = (client: string): string => path.join(folder, client);

/** Copies an example into a project, with the address of the test's gateway. */
async function copy(example: string, project: string): Promise<void> {
  const entries = await readdir(path.join(EXAMPLES, example), { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((each) => each.isFile())) {
    const source = path.join(entry.parentPath, entry.name);
    const target = path.join(project, path.relative(path.join(EXAMPLES, example), source));
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, (await readFile(source, 'utf8')).replaceAll(ADDRESS, app.url));
  }
}

/** Makes the project of a GraphQL client, and generates its types from the gateway. */
async function prepare(client: string): Promise<void> {
  const project = folderOf(client);
  await symlink(path.join(folder, 'node_modules'), path.join(project, 'node_modules'));
  await copy('codegen', project);
  await copy(client, project);
  await cp(path.join(folder, 'visit.ts'), path.join(project, 'src/visit.ts'));
  await generate(project, await recipeOf(client));
}

/** The configuration of codegen for a client. */
async function recipeOf(client: string): Promise<string> {
  const code = await readFile(path.join(EXAMPLES, 'codegen/codegen.ts'), 'utf8');
  const recipe = code.replaceAll(ADDRESS, app.url);
  return client === 'graphql-request' ? switchOn(recipe, 'For graphql-request') : recipe;
}

/** Switches on a line that is a comment: `// <label>: <line>`. */
function switchOn(recipe: string, label: string): string {
  expect(recipe).toContain(`// ${label}: `);
  return recipe.replace(`// ${label}: `, '');
}

/** Runs codegen, and returns what it has generated. */
async function generate(project: string, recipe: string): Promise<string[]> {
  await writeFile(path.join(project, 'codegen.ts'), recipe);
  await rm(path.join(project, 'src/gql'), { recursive: true, force: true });
  await runIn(project, path.join(CODEGEN_PACKAGES, '.bin/graphql-codegen'), '--silent');
  return generated(project);
}

const generated = (project: string): Promise<string[]> =>
  Promise.all(
    ['gql.ts', 'graphql.ts', 'error-code.ts'].map((file) =>
      readFile(path.join(project, 'src/gql', file), 'utf8'),
    ),
  );

/** Builds a module of a project for Node.js, and returns what its function resolves to. */
async function run(project: string, module: string, call: string, ...args: string[]): Promise<unknown> {
  const vite = path.join(PROGRAMS, 'vite');
  await runIn(project, vite, 'build', '--ssr', `src/${module}`, '--outDir', 'built', '--logLevel', 'warn');
  const file = module.replace(/\.\w+$/, '.js');
  const program = `import { ${call} } from './built/${file}';
    console.log(JSON.stringify(await ${call}(...process.argv.slice(1))));`;
  return JSON.parse(await runIn(project, 'node', '--input-type=module', '--eval', program, ...args));
}

beforeAll(async () => {
  await cp(path.join(ROOT, 'tests/services/packages/consumer'), folder, { recursive: true });
  const [client] = await pack(folder, 'packages/client');
  const tarball = client?.file ?? '';
  await Promise.all([install(folder, tarball), install(path.join(folder, 'react18'), tarball)]);
  const modules = path.join(folder, 'node_modules');
  // Installs the packages if nobody has.
  await runIn(ROOT, 'node', 'scripts/codegen.js', '--version');
  await symlink(path.join(CODEGEN_PACKAGES, '@graphql-codegen'), path.join(modules, '@graphql-codegen'));
  await symlink(path.join(PACKAGES, 'vite'), path.join(modules, 'vite'));
  await Promise.all(GRAPHQL_CLIENTS.map(prepare));
  await copy('node', path.join(folder, 'node'));
  for (const version of ['react18', 'react19']) {
    await copy('react', path.join(folder, version));
    await cp(path.join(folder, 'server.tsx'), path.join(folder, version, 'src/server.tsx'));
  }
}, INSTALL_MILLIS);

test.each(GRAPHQL_CLIENTS)(
  'codegen for %s generates the same from the package as from a gateway',
  async (client) => {
    const project = folderOf(client);
    const fromGateway = await generated(project);
    const recipe = switchOn(await recipeOf(client), 'Without a gateway').replace(/ +schema: 'http.*\n/, '');
    expect(recipe).not.toContain(app.url);
    expect(await generate(project, recipe)).toEqual(fromGateway);
  },
);

test.each([
  [7, PROGRAMS],
  [5, 'node_modules/.bin'],
])('strict TypeScript %d compiles all recipes', async (_version, programs) => {
  // As one build, so that the compiler reads its own declarations once.
  await runIn(folder, path.resolve(folder, programs, 'tsc'), '--build', ...PROJECTS);
});

/** The compiler's options of projects that our readers have, beside those of their folder. */
const OF_USERS: Record<string, object> = {
  'strict alone': { module: 'ESNext', moduleResolution: 'Bundler', jsx: 'react-jsx', strict: true },
  // As `npm create vite` makes it (template react-ts).
  'the one of Vite': {
    ...{ target: 'ES2022', lib: ['ES2022', 'DOM', 'DOM.Iterable'], module: 'ESNext', jsx: 'react-jsx' },
    ...{ moduleResolution: 'bundler', allowImportingTsExtensions: true, verbatimModuleSyntax: true },
    ...{ moduleDetection: 'force', strict: true, noUnusedLocals: true, noUnusedParameters: true },
    ...{ erasableSyntaxOnly: true, noFallthroughCasesInSwitch: true },
  },
  // As create-next-app makes it.
  'the one of Next.js': {
    ...{ target: 'ES2017', lib: ['dom', 'dom.iterable', 'esnext'], allowJs: true, strict: true },
    ...{ module: 'esnext', moduleResolution: 'bundler', resolveJsonModule: true, isolatedModules: true },
    ...{ jsx: 'preserve', esModuleInterop: true },
  },
  // As Next.js makes it where there is none: nothing can be narrowed by a flag.
  'one that is not strict': {
    module: 'ESNext',
    moduleResolution: 'Bundler',
    jsx: 'react-jsx',
    strict: false,
  },
};

test.each(Object.keys(OF_USERS))('the recipes compile with a tsconfig of users: %s', async (name) => {
  const compilerOptions = { ...OF_USERS[name], skipLibCheck: true, noEmit: true };
  const problems: string[] = [];
  for (const project of PROJECTS) {
    const types = project === 'node' ? ['node'] : [];
    const config = { compilerOptions: { ...compilerOptions, types }, include: ['src'] };
    await writeFile(path.join(folder, project, 'tsconfig.users.json'), JSON.stringify(config));
    const tsc = runIn(
      path.join(folder, project),
      path.join(PROGRAMS, 'tsc'),
      '--project',
      'tsconfig.users.json',
    );
    await tsc.catch(({ message }: Error) => problems.push(`${project}: ${message}`));
  }
  expect(problems).toEqual([]);
});

/** An account, and a token to choose its new password with. */
async function someoneForgetful() {
  const { email } = authenticated(await restApi(app.url).registerPatient(aPatient())).account;
  return { email: String(email), token: await resetCodeOf(app, String(email)), newPassword: freshPassword() };
}

test.each(GRAPHQL_CLIENTS)('the recipe for %s does all that it is for', async (client) => {
  const { email, token, newPassword } = await someoneForgetful();
  expect(await run(folderOf(client), 'visit.ts', 'visit', email, newPassword, token)).toEqual({
    registered: ['PATIENT', null, 'string'],
    invalid: [
      'BAD_USER_INPUT',
      {
        name: ['The name field is required.'],
        password: ['The password field must be at least 8 characters.'],
      },
    ],
    doctor: ['DOCTOR', expect.stringContaining(`${app.url}/storage/licenses/`)],
    me: [`dr.${email}`, 'Cardiology', true],
    out: ['UNAUTHENTICATED', false],
    wrong: ['INVALID_CREDENTIALS', 'Invalid credentials'],
    reset: ['Your password has been reset.', expect.any(String)],
    withoutPreflight: expect.stringMatching(/^A multipart request must carry one of the headers /),
    mapFirst: expect.stringContaining(': operations, then map, then the files.'),
    // The password of the request.
    proxy: expect.not.stringContaining('correct horse'),
    link: 'NOT_FOUND',
  });
});

test('the recipe for Node.js prints what it has done', async () => {
  const project = path.join(folder, 'node');
  for (const name of ['license.pdf', 'diploma.pdf', 'certification.pdf']) {
    await writeFile(path.join(project, name), aPdf().bytes);
  }
  await runIn(project, path.join(PROGRAMS, 'tsc'), '--project', '.');
  expect((await runIn(project, 'node', 'dist/main.js')).trim().split('\n')).toEqual([
    'Pat Example',
    'email: The email has already been taken.',
    expect.stringContaining(`${app.url}/storage/licenses/`),
    expect.stringMatching(/^\w+\|\w+ Pat Example \(PATIENT\)$/),
    'Logged out',
    'Passwords are not reset by e-mail here. Ask the operator for a reset link.',
    'token: This password reset token is invalid.',
  ]);
});

test.each(['18', '19'])('the page of the recipe for React %s is built and drawn', async (version) => {
  const project = path.join(folder, `react${version}`);
  await runIn(project, path.join(PROGRAMS, 'vite'), 'build', '--logLevel', 'warn');
  expect(await run(project, 'server.tsx', 'draw', app.url)).toEqual({
    version: expect.stringMatching(new RegExp(`^${version}\\.`)),
    app: '<p>One moment …</p>',
    entrance: expect.stringMatching(/<h2>Register as a doctor<.*<input [^>]*name="licenseFile"/),
  });
});
