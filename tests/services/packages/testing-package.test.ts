import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pack, ROOT, runIn } from '../../support/consumer.ts';
import { eventually } from '../../support/eventually.ts';
import { codeUnder } from '../../support/readme.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const README = 'packages/testing/README.md';
const PACKAGES = {
  'auth-gateway': '.',
  '@auth-gateway/client': 'packages/client',
  '@auth-gateway/embedded-mongo': 'packages/embedded-mongo',
  '@auth-gateway/guard': 'packages/guard',
  '@auth-gateway/testing': 'packages/testing',
};

const folder = temporaryFolder();
const project = path.join(folder, 'project');
/** Where the gateways of the project make their temporary folders. */
const temporary = path.join(folder, 'tmp');

/** The environment of the project's tests, with settings of another service that would break a gateway. */
const environment = () => [
  '-i',
  `PATH=${process.env.PATH}`,
  `TMPDIR=${temporary}`,
  'PORT=80',
  'BCRYPT_COST=none',
];

/** Runs a program in the project. */
const run = (program: string, ...args: string[]) => runIn(project, 'env', ...environment(), program, ...args);

/** A program that can start gateways, and that prints JSON with `print`. */
const programOf = (code: string) => `
  const { startTestGateway } = require('@auth-gateway/testing');
  const print = (value) => process.stdout.write(JSON.stringify(value));
  (async () => {${code}})();`;

/** Runs code in the project, and returns what it prints. */
const resultOf = async (code: string): Promise<unknown> =>
  JSON.parse(await run('node', '--eval', programOf(code)));

beforeAll(async () => {
  await cp(path.join(ROOT, 'packages/testing/tests/consumer'), project, { recursive: true });
  // A gateway must not read this: it belongs to the tested service.
  await writeFile(path.join(project, '.env'), 'LOG_LEVEL=nonsense\n');
  await mkdir(temporary);
  // The packed packages, and for all others those of this repository, a folder above: installing them again would take a minute.
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  const tarballs = await pack(folder, ...Object.values(PACKAGES));
  for (const [index, name] of Object.keys(PACKAGES).entries()) {
    const place = path.join(project, 'node_modules', name);
    await mkdir(place, { recursive: true });
    await runIn(place, 'tar', '-xzf', tarballs[index]?.file ?? '', '--strip-components=1');
  }
});

afterEach(async () => {
  expect(await readdir(temporary)).toEqual([]);
});

test('the package has what is built, a README and a license, and no sources or tests', async () => {
  const names = await readdir(path.join(project, 'node_modules/@auth-gateway/testing'), { recursive: true });
  expect(new Set(names.map((name) => name.split('/')[0]))).toEqual(
    new Set(['LICENSE', 'README.md', 'dist', 'package.json']),
  );
  expect(names.filter((name) => /(?<!\.d)\.m?ts$/.test(name))).toEqual([]);
});

test("the README's example for Jest passes", async () => {
  await writeFile(path.join(project, 'doctor.test.js'), await codeUnder('In Jest', 'js', README));
  // Jest's own limit for a hook is five seconds, and a busy machine may need longer for the start of a gateway.
  const options = ['--testTimeout', '120000', '--cacheDirectory', path.join(project, 'cache')];
  await run(path.join(ROOT, 'node_modules/.bin/jest'), ...options);
});

test("the README's example of a service behind the gateway passes", async () => {
  const code = await codeUnder('A service behind the gateway', 'js', README);
  await writeFile(path.join(project, 'records.test.mjs'), code);
  expect(await run('node', '--test', '--test-reporter=tap', 'records.test.mjs')).toMatch(/^# pass 1$/m);
});

test('the tests of the example service pass', async () => {
  const copy = path.join(project, 'appointments');
  await cp(path.join(ROOT, 'examples/appointments'), copy, { recursive: true });
  await writeFile(path.join(copy, 'package.json'), '{"type":"module"}');
  const output = await run('node', '--test', '--test-reporter=tap', path.join(copy, 'service.test.js'));
  expect(output).toMatch(/^# pass 2$/m);
});

test('strict TypeScript programs compile against the types, as an ES module and as CommonJS', async () => {
  await run(path.join(ROOT, 'node_modules/.bin/tsc'), '--project', '.');
});

test('two gateways run at the same time, with accounts and documents of their own', async () => {
  const result = await resultOf(`
    const [one, other] = await Promise.all([startTestGateway(), startTestGateway()]);
    const doctor = await one.createDoctor({ phone: '+1 555 0199' });
    const { email } = doctor.account;
    const patient = await other.createPatient({ email, password: 'password' });
    const taken = await one.createPatient({ email }).catch(({ message }) => message);
    const { status, headers } = await fetch(doctor.profile.certificationUrl);
    print({ doctor, patient, taken, status, type: headers.get('content-type') });
    await Promise.all([one.stop(), one.stop(), other[Symbol.asyncDispose]()]);`);
  expect(result).toMatchObject({
    doctor: {
      account: { role: 'DOCTOR', phone: '+1 555 0199' },
      profile: { specialization: 'Cardiology' },
      token: expect.any(String),
      password: expect.any(String),
    },
    patient: { account: { role: 'PATIENT' }, password: 'password' },
    taken: 'createPatient: The email has already been taken. (BAD_USER_INPUT)',
    status: 200,
    type: 'application/pdf',
  });
});

test('a doctor is verified and a reviewer made by the commands of operators', async () => {
  const result = await resultOf(`
    const gateway = await startTestGateway();
    const doctor = await gateway.createDoctor({ verified: true });
    const reviewer = await gateway.createReviewer({ name: 'Rita' });
    const query = '{ doctorsForReview(status: VERIFIED) { edges { node { account { id } } } } }';
    const answer = await fetch(gateway.url + '/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: 'Bearer ' + reviewer.token },
      body: JSON.stringify({ query }),
    });
    const { data } = await answer.json();
    const again = await gateway.createReviewer({ email: reviewer.account.email }).catch(({ message }) => message);
    await gateway.stop();
    print({
      status: doctor.profile.verification.status,
      role: reviewer.account.role,
      isListed: data.doctorsForReview.edges[0].node.account.id === doctor.account.id,
      again,
    });`);
  expect(result).toEqual({
    ...{ status: 'VERIFIED', role: 'REVIEWER', isListed: true },
    again: expect.stringContaining('already'),
  });
});

test('services have secrets, and the clock of the gateway moves', async () => {
  const result = await resultOf(`
    const gateway = await startTestGateway({ services: ['appointments', 'billing'], TOKEN_LIFETIME_MINUTES: '60' });
    const { token } = await gateway.createPatient();
    const isActive = async (service) => {
      const answer = await fetch(gateway.url + '/oauth/introspect', {
        method: 'POST',
        body: new URLSearchParams({ token, client_id: service, client_secret: gateway.secretOf(service) }),
      });
      return (await answer.json()).active;
    };
    const before = [await isActive('appointments'), await isActive('billing')];
    const start = gateway.now();
    await gateway.advance(3_600_000);
    const moved = Math.round((gateway.now() - start) / 3_600_000);
    let unknown;
    try { gateway.secretOf('records'); } catch ({ message }) { unknown = message; }
    print({ before, after: await isActive('billing'), moved, unknown });
    await gateway.stop();`);
  expect(result).toEqual({
    ...{ before: [true, true], after: false, moved: 1 },
    unknown: `This test gateway has no service "records": startTestGateway({ services: ['records'] }).`,
  });
});

test('mails are in memory, with their links', async () => {
  const result = await resultOf(`
    const gateway = await startTestGateway({ EMAIL_VERIFICATION_URL: 'http://localhost/confirm?token={token}' });
    const { account: { email } } = await gateway.createPatient();
    const proof = await gateway.nextMail(email);
    const post = (path, body) => fetch(gateway.url + '/api/v1/auth/' + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    await post('forgot-password', { email });
    const reset = await gateway.nextMail(email);
    const token = new URL(reset.links[0]).searchParams.get('token');
    const { status } = await post('reset-password', { token, email, password: 'another horse', password_confirmation: 'another horse' });
    const third = await gateway.nextMail(email);
    await gateway.stop();
    const late = await gateway.mails().catch(({ message }) => message);
    print({ subjects: [proof, reset, third].map(({ subject }) => subject), to: reset.to === email, status, late });`);
  expect(result).toEqual({
    subjects: ['Confirm your e-mail address', 'Choose a new password', 'Your password was changed'],
    ...{ to: true, status: 200, late: 'The test gateway has ended.' },
  });
});

test('an account gets a second factor, and codes of its app', async () => {
  const result = await resultOf(`
    const { codeOf } = require('@auth-gateway/testing');
    const gateway = await startTestGateway();
    const patient = await gateway.createPatient();
    const { secretKey, recoveryCodes, token } = await gateway.addSecondFactor(patient);
    const { account: { email }, password } = patient;
    const login = async (proof) => (await fetch(gateway.url + '/api/v1/auth/login', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email, password, ...proof }),
    })).status;
    const statuses = [await login(), await login({ code: codeOf(secretKey) }), await login({ code: codeOf(secretKey, 1) })];
    const wrong = await gateway.addSecondFactor({ token, password: 'x' }).catch(({ message }) => message);
    await gateway.stop();
    print({ statuses, codes: recoveryCodes.length, wrong });`);
  expect(result).toEqual({
    ...{ statuses: [422, 200, 200], codes: 10 },
    wrong: 'addSecondFactor: The password is incorrect. (BAD_USER_INPUT)',
  });
});

test('an account gets a passkey, which logs in', async () => {
  const result = await resultOf(`
    const gateway = await startTestGateway();
    const patient = await gateway.createPatient();
    const passkey = await gateway.addPasskey(patient);
    const token = await passkey.logIn();
    const answer = await fetch(gateway.url + '/api/v1/user', { headers: { Authorization: 'Bearer ' + token } });
    const { email } = await answer.json();
    const wrong = await gateway.addPasskey({ token, password: 'x' }).catch(({ message }) => message);
    await gateway.stop();
    print({ isSame: email === patient.account.email, id: typeof passkey.id, wrong });`);
  expect(result).toEqual({
    ...{ isSame: true, id: 'string' },
    wrong: 'user/passkeys/options: The password is incorrect. (422)',
  });
});

test('an exception has the message of the gateway if it cannot use the settings', async () => {
  const result = await resultOf(`
    await startTestGateway({ BCRYPT_COST: '99', RATE_LIMIT: 'x' }).catch(({ message }) => print(message));`);
  expect(result).toBe(
    'The test gateway did not start: These settings cannot be used:\n' +
      '  BCRYPT_COST must be a whole number from 4 to 20.\n  RATE_LIMIT must be one of on, off.',
  );
});

test('an exception says so if the gateway is not installed', async () => {
  const gateway = path.join(project, 'node_modules/auth-gateway');
  await rename(gateway, `${gateway}-away`);
  const result = await resultOf('await startTestGateway().catch(({ message }) => print(message));').finally(
    () => rename(`${gateway}-away`, gateway),
  );
  expect(result).toBe(
    'The test gateway did not start: the package auth-gateway is not installed beside @auth-gateway/testing.',
  );
});

/** Waits until the gateways have removed their folders, which they do when they end. */
const noneIsLeft = () => eventually(async () => expect(await readdir(temporary)).toEqual([]));

test('a gateway ends if a program ends without stopping it', async () => {
  await resultOf('print((await startTestGateway()).url);');
  await noneIsLeft();
});

test('a gateway ends and leaves nothing behind if the process of the tests is killed', async () => {
  const program = programOf('print((await startTestGateway()).url); setInterval(() => {}, 1000);');
  // "env" becomes the program: it is the program that is killed.
  const tests = spawn('env', [...environment(), 'node', '--eval', program], { cwd: project });
  await once(tests.stdout, 'data');
  expect(await readdir(temporary)).toHaveLength(1);
  tests.kill('SIGKILL');
  await noneIsLeft();
});

test('a gateway serves on after Ctrl-C until the tests stop it', async () => {
  const program = programOf(`
    const gateway = await startTestGateway();
    process.once('SIGINT', async () => {
      const { account } = await gateway.createPatient();
      await gateway.stop();
      print(account.role);
      process.exit();
    });
    process.stderr.write('up');
    setInterval(() => {}, 1000);`);
  // In a group of its own, which gets the signal, as that of a terminal does.
  const tests = spawn('env', [...environment(), 'node', '--eval', program], {
    cwd: project,
    detached: true,
  });
  const output = text(tests.stdout);
  await once(tests.stderr, 'data');
  process.kill(-(tests.pid ?? Number.NaN), 'SIGINT');
  expect(await output).toBe('"PATIENT"');
});

test('nothing is left behind if the process of the tests dies at the very start of a gateway', async () => {
  const program = programOf("void startTestGateway(); process.kill(process.pid, 'SIGKILL');");
  // The shell looks at once. This process may be busy until the gateway has removed its folder.
  const left = await run('sh', '-c', 'node --eval "$1"; ls "$TMPDIR"', 'sh', program);
  // Unless that was faster.
  expect(left).toMatch(/^(?:auth-gateway-test-\w+\n)?$/);
  await noneIsLeft();
});

test('nothing is left behind if the whole group of the tests is killed', async () => {
  const program = programOf('print((await startTestGateway()).url); setInterval(() => {}, 1000);');
  const tests = spawn('env', [...environment(), 'node', '--eval', program], {
    cwd: project,
    detached: true,
  });
  await once(tests.stdout, 'data');
  process.kill(-(tests.pid ?? Number.NaN), 'SIGKILL');
  await noneIsLeft();
});

test('nothing is left behind if the gateway is killed', async () => {
  const signal = await resultOf(`
    const processes = require('node:child_process');
    const { fork } = processes;
    let child;
    processes.fork = (...given) => (child = fork(...given));
    const gateway = await startTestGateway();
    child.kill('SIGKILL');
    await gateway.stop();
    print(child.signalCode);`);
  expect(signal).toBe('SIGKILL');
});
