import { cp, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { startRootExample, stopServices } from '../../../packages/guard/tests/support/readme-services.ts';
import { install, pack, ROOT, runIn, type Tarball } from '../../support/consumer.ts';
import { authenticated, registeredDoctor } from '../../support/expectations.ts';
import { jsonOf, send } from '../../support/http.ts';
import { freePort } from '../../support/listen.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { APPOINTMENTS, SERVICES } from '../../support/services.ts';
import { bearer } from '../../support/session.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { useTestApp } from '../../support/test-app.ts';

const TSC = path.join(ROOT, 'node_modules/.bin/tsc');

const app = useTestApp(SERVICES);
const folder = temporaryFolder();
/** With the packed guard. It finds Express and Apollo Server a folder above. */
const project = path.join(folder, 'project');
let tarball: Tarball;
beforeAll(async () => {
  await cp(path.join(ROOT, 'packages/guard/tests/consumer/programs'), project, { recursive: true });
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  [tarball] = (await pack(folder, 'packages/guard')) as [Tarball];
  await install(project, '--offline', tarball.file);
});
afterAll(() => stopServices());

test('the package has the built files, a README and a license, and needs no other package', async () => {
  const places = new Set(tarball.contents.map((name) => name.split('/')[0]));
  expect([...places].sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  expect(tarball.contents.filter((name) => /(?<!\.d)\.ts$|buildinfo/.test(name))).toEqual([]);
  const lock = JSON.parse(await readFile(path.join(project, 'node_modules/.package-lock.json'), 'utf8'));
  expect(Object.keys(lock.packages)).toEqual(['node_modules/@auth-gateway/guard']);
});

test('strict programs compile against the types, with Express, as ES module, CommonJS and for a bundler', async () => {
  await runIn(project, TSC, '--project', '.');
  await runIn(project, TSC, '--project', 'tsconfig.plain.json');
});

test('the example of docs/behind-the-gateway.md lets a doctor through, and no patient', async () => {
  const service = await startRootExample(project, app.url);
  const api = restApi(app.url);
  const doctor = registeredDoctor(await api.registerDoctor(aDoctor()));
  const patient = authenticated(await api.registerPatient(aPatient()));
  const get = (token: string) => send(`${service}/appointments`, { headers: bearer(token) });
  expect(jsonOf(await get(doctor.token))).toEqual({ doctor: String(doctor.account.id) });
  expect((await get(patient.token)).status).toBe(403);
});

/** A program that asks about one token. */
const program = (url: string, secret: string) => `
  const options = ${JSON.stringify({ url, client: APPOINTMENTS.id, secret })};
  createGuard(options).check('1|unknown').then(
    (session) => console.log(session),
    ({ name, code, message }) => console.log(name, code, message));`;

test.each([
  ['module', "import { createGuard } from '@auth-gateway/guard';"],
  ['commonjs', "const { createGuard } = require('@auth-gateway/guard');"],
])('a program (%s) asks the gateway, and ends although its connection is open', async (type, load) => {
  const run = (secret: string) =>
    runIn(project, 'node', `--input-type=${type}`, '--eval', load + program(app.url, secret));
  expect(await run(APPOINTMENTS.secret)).toBe('undefined\n');
  expect(await run('wrong')).toBe(
    `GuardError UNKNOWN_SERVICE The gateway at ${app.url} does not know the service "appointments", or its secret is ` +
      "another one. Compare the guard's options with the gateway's setting INTROSPECTION_CLIENTS.\n",
  );
});

test('without onError, an error is a warning on standard error', async () => {
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  const load = "const { createGuard } = require('@auth-gateway/guard');";
  const script = `node --eval "$0" 2>&1 >/dev/null`;
  expect(await runIn(project, 'sh', '-c', script, load + program(nowhere, 'any'))).toContain(
    `[NETWORK_ERROR] AuthGatewayGuard: The gateway at ${nowhere} cannot be reached`,
  );
});
