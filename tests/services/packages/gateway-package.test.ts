import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { install, ROOT, runIn } from '../../support/consumer.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated } from '../../support/expectations.ts';
import { jsonOf, send } from '../../support/http.ts';
import { freePort } from '../../support/listen.ts';
import { aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const INSTALL_MILLIS = 600_000;

const folder = temporaryFolder();
let tarballs: string[];
const tarball = (name: string) => tarballs.find((file) => path.basename(file).startsWith(name)) ?? '';

beforeAll(async () => {
  const out = path.join(folder, 'release');
  const output = await runIn(ROOT, 'node', 'scripts/release.js', '--out', out);
  expect(output).toContain('Dry run: nothing was published.');
  tarballs = (await readdir(out)).map((name) => path.join(out, name));
}, INSTALL_MILLIS);

test('a release has five packages, and the stand-in is none of them', () => {
  expect(tarballs.map((file) => path.basename(file).replace(/-\d.*/, '')).sort()).toEqual([
    'auth-gateway',
    'auth-gateway-client',
    'auth-gateway-embedded-mongo',
    'auth-gateway-guard',
    'auth-gateway-testing',
  ]);
});

test('only a commit with the tag of the version is published', async () => {
  const copy = path.join(folder, 'clone');
  await runIn(ROOT, 'git', 'clone', '--quiet', '--depth', '1', `file://${ROOT}`, copy);
  await expect(runIn(copy, 'node', path.join(ROOT, 'scripts/release.js'), '--publish')).rejects.toThrow(
    'Only a clean commit with the tag',
  );
});

test(
  'the gateway is installed in an empty folder, starts, and keeps its data',
  async () => {
    const project = path.join(folder, 'empty');
    await mkdir(project);
    await install(project, '--engine-strict', tarball('auth-gateway-1'));
    const readme = await readFile(path.join(project, 'node_modules/auth-gateway/README.md'), 'utf8');
    expect(readme).toContain('npx auth-gateway start');
    // It has no links into a repository that its reader may not have.
    expect(readme).not.toMatch(/\]\((?!http)/);
    const patient = aPatient();
    for (const isFirst of [true, false]) {
      const port = await freePort();
      const env = { PATH: process.env.PATH, HOME: folder, PORT: String(port), BCRYPT_COST: '4' };
      const words = ['--no-install', 'auth-gateway', 'start'];
      const gateway = spawn('npx', words, { cwd: project, env, stdio: 'ignore', detached: true });
      const ended = once(gateway, 'exit');
      const url = `http://127.0.0.1:${port}`;
      await eventually(async () =>
        expect(jsonOf(await send(`${url}/readyz`))).toMatchObject({ status: 'ready' }),
      );
      const api = restApi(url);
      authenticated(await (isFirst ? api.registerPatient(patient) : api.login(patient)));
      expect((await send(`${url}/`)).text).toContain('Open GraphiQL');
      process.kill(-(gateway.pid ?? Number.NaN), 'SIGTERM');
      await ended;
      await eventually(async () => expect(send(`${url}/readyz`)).rejects.toThrow());
    }
    expect(await readdir(project)).toEqual(expect.arrayContaining(['.data', 'storage']));
  },
  INSTALL_MILLIS,
);

describe('tools that look at packages', () => {
  let tools: string;
  beforeAll(async () => {
    tools = path.join(folder, 'tools');
    await mkdir(tools);
    await install(tools, 'publint@0.3', '@arethetypeswrong/cli@0.18');
  }, INSTALL_MILLIS);

  test.each([
    'auth-gateway-1',
    'auth-gateway-client',
    'auth-gateway-embedded-mongo',
    'auth-gateway-guard',
    'auth-gateway-testing',
  ])('publint finds nothing in %s', async (name) => {
    const output = await runIn(
      tools,
      path.join(tools, 'node_modules/.bin/publint'),
      '--strict',
      tarball(name),
    );
    expect(output).toContain('All good!');
  });

  // The gateway is a program. The engine has ES modules alone.
  test.each<[string, string[]]>([
    ['auth-gateway-client', ['--exclude-entrypoints', './schema.graphql']],
    ['auth-gateway-guard', []],
    ['auth-gateway-testing', []],
    ['auth-gateway-embedded-mongo', ['--profile', 'esm-only']],
  ])('the types of %s are right for every way to import it', async (name, options) => {
    const attw = path.join(tools, 'node_modules/.bin/attw');
    // It fails if there is a problem.
    const output = await runIn(tools, attw, tarball(name), '--no-color', '--no-emoji', ...options);
    expect(output).toContain('@auth-gateway/');
  });
});
