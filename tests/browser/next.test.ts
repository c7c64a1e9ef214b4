import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { builtWith, install, pack, runIn } from '../support/consumer.ts';
import { eventually } from '../support/eventually.ts';
import { authenticated, registeredDoctor } from '../support/expectations.ts';
import { jsonOf, send } from '../support/http.ts';
import { freePort } from '../support/listen.ts';
import { aDoctor, aPatient } from '../support/people.ts';
import { codeUnder, filesUnder } from '../support/readme.ts';
import { restApi } from '../support/rest-api.ts';
import { decide, newReviewer } from '../support/reviews.ts';
import { APPOINTMENTS, SERVICES } from '../support/services.ts';
import { bearer } from '../support/session.ts';
import { REAL_TIME, useTestApp } from '../support/test-app.ts';
import { useBrowser } from './support/browser.ts';

// The recipe of docs/web-servers/next.md, built and started as its reader does it, with the packed client.
const DOCUMENT = 'docs/web-servers/next.md';
const GUARD = 'packages/guard/README.md';
const INSTALL_MILLIS = 600_000;

const browser = useBrowser();
const app = useTestApp({ ...SERVICES, TRUST_PROXY: 'loopback' }, undefined, ...REAL_TIME);
let project: string;
let server: ChildProcess | undefined;
let url: string;

beforeAll(async () => {
  project = await mkdtemp(path.join(tmpdir(), 'auth-gateway-next-'));
  for (const heading of ['The application', 'A protected page']) {
    for (const [name, code] of await filesUnder(heading, DOCUMENT)) {
      const file = path.join(project, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, code);
    }
  }
  const route = await filesUnder('Route handlers of Next.js', GUARD);
  await mkdir(path.join(project, 'src/app/all-records'), { recursive: true });
  await writeFile(path.join(project, 'src/app/all-records/route.ts'), [...route.values()].join(''));
  const guard = (await codeUnder('The guard', 'js', GUARD)).replace('http://127.0.0.1:4000', app.url);
  await writeFile(path.join(project, 'src/guard.js'), guard);
  const icon = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>';
  await writeFile(path.join(project, 'src/app/icon.svg'), icon);
  await writeFile(path.join(project, 'package.json'), '{"private":true}');
  // As `create-next-app` makes it.
  await writeFile(path.join(project, 'next.config.ts'), 'export default { cacheComponents: true };\n');
  const tarballs = await pack(project, 'packages/client', 'packages/guard');
  await install(project, ...(await builtWith(DOCUMENT)), ...tarballs.map(({ file }) => file));
  const next = path.join(project, 'node_modules/.bin/next');
  const port = await freePort();
  const settings = [`AUTH_GATEWAY_SECRET=${APPOINTMENTS.secret}`, `AUTH_GATEWAY_URL=${app.url}`];
  const environment = ['NEXT_TELEMETRY_DISABLED=1', ...settings];
  await runIn(project, 'env', ...environment, next, 'build');
  const start = ['NODE_OPTIONS=', 'NODE_ENV=production', 'node', next, 'start'];
  const address = ['--port', String(port), '--hostname', '127.0.0.1'];
  server = spawn('env', [...environment, ...start, ...address], { cwd: project, stdio: 'ignore' });
  url = `http://127.0.0.1:${port}`;
  await eventually(() => send(url));
}, INSTALL_MILLIS);
afterAll(async () => {
  if (server) {
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  }
  await rm(project, { recursive: true, force: true });
});

async function logIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
}

test('a visitor logs in, is known to the server at each page, and logs out', async () => {
  const doctor = aDoctor();
  const { account } = registeredDoctor(await restApi(app.url).registerDoctor(doctor));
  const page = await browser.open(`${url}/records`);
  // The protected page has led here.
  await logIn(page, { email: doctor.email, password: 'wrong horse' });
  await page.getByText('Invalid credentials').waitFor();
  await logIn(page, doctor);
  await page.getByRole('heading', { name: `Hello ${doctor.name}` }).waitFor();
  const [cookie, ...others] = await page.context().cookies();
  expect(others).toEqual([]);
  expect(cookie).toMatchObject({
    ...{ name: '__Host-auth-gateway', httpOnly: true, secure: true, sameSite: 'Lax', path: '/' },
    value: expect.stringMatching(/^\w+\|\w+$/),
  });
  expect(await page.evaluate(() => JSON.stringify([document.cookie, localStorage, sessionStorage]))).toBe(
    '["",{},{}]',
  );

  await page.getByRole('link', { name: 'Records' }).click();
  await page.getByText('Only for verified doctors.').waitFor();
  const reviewer = await newReviewer(app);
  await decide(app, reviewer.token, { id: account.id, revision: 0, decision: 'APPROVE' });
  await page.reload();
  await page.getByRole('heading', { name: `Records of ${doctor.name}` }).waitFor();
  // A token that was revoked elsewhere opens no page any more, whatever the cookie says.
  await app.database.tokens.deleteMany({ accountId: account.id });
  await page.goto(`${url}/records`);
  await page.getByRole('button', { name: 'Log in' }).waitFor();

  await logIn(page, doctor);
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByLabel('E-mail').waitFor();
  expect(await page.context().cookies()).toEqual([]);
  expect(await app.database.tokens.countDocuments({ accountId: account.id })).toBe(0);
  // Next.js gives up what it has begun to load ahead.
  const problems = await browser.takeProblems();
  expect(problems.filter((problem) => !/_rsc=.* net::ERR_ABORTED$/.test(problem))).toEqual([]);
});

test('a route handler with the guard lets only doctors through', async () => {
  const doctor = registeredDoctor(await restApi(app.url).registerDoctor(aDoctor()));
  const patient = authenticated(await restApi(app.url).registerPatient(aPatient()));
  const records = async (headers: Record<string, string>) => {
    const http = await send(`${url}/all-records`, { headers });
    return [http.status, jsonOf(http)];
  };
  const { id, name } = doctor.account;
  expect(await records(bearer(doctor.token))).toEqual([200, { accountId: id, name }]);
  expect(await records(bearer(patient.token))).toMatchObject([403, { reason: 'role' }]);
  expect(await records({})).toEqual([401, { message: 'Unauthenticated.' }]);
});

test('pages of other sites change nothing: not by a form, an upload or a script', async () => {
  const patient = aPatient();
  authenticated(await restApi(app.url).registerPatient(patient));
  const page = await browser.open(url);
  await logIn(page, patient);
  await page.getByRole('heading', { name: `Hello ${patient.name}` }).waitFor();
  const before = await page.context().cookies();
  // Another host of this machine is another site.
  const evil = url.replace('127.0.0.1', 'localhost');
  const other = await browser.open(evil);
  const logout = JSON.stringify({ query: 'mutation Logout { logout { message } }' });
  await other.evaluate(
    async ({ target, body }) => {
      const upload = new FormData();
      upload.append('operations', body);
      upload.append('map', '{}');
      for (const [sent, headers] of [
        [body, { 'Content-Type': 'text/plain' }],
        [upload, {}],
        [body, { 'Content-Type': 'application/json', 'Auth-Gateway-Client': '1' }],
      ] as const) {
        await fetch(target, { method: 'POST', credentials: 'include', body: sent, headers }).catch(() => {});
      }
      const form = document.createElement('form');
      Object.assign(form, { method: 'POST', action: target, enctype: 'text/plain' });
      form.innerHTML = `<input name='${body.replace(/'/g, '')}' value=''>`;
      document.body.append(form);
      form.submit();
    },
    { target: `${url}/api/auth`, body: logout },
  );
  await other.waitForURL(`${url}/api/auth`);
  expect(await other.textContent('body')).toContain('Only pages of this site may send this');
  // CORS has refused the scripts, and the handler the rest.
  expect((await browser.takeProblems()).length).toBeGreaterThan(0);
  expect(await page.context().cookies()).toEqual(before);
  await page.reload();
  await page.getByRole('heading', { name: `Hello ${patient.name}` }).waitFor();
});
