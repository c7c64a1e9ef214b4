import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { install, ROOT } from '../../support/consumer.ts';
import { authenticated, registeredDoctor, succeeded } from '../../support/expectations.ts';
import { errorsIn } from '../../support/federation.ts';
import { watch } from '../../support/gateway-process.ts';
import type { GraphqlBody } from '../../support/graphql-api.ts';
import { jsonOf, sendJson } from '../../support/http.ts';
import { freePort } from '../../support/listen.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { APPOINTMENTS, clientEntry } from '../../support/services.ts';
import { bearer } from '../../support/session.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { useTestApp } from '../../support/test-app.ts';

// A supergraph of the gateway and the example service, with the router of examples/router.
const ROUTER = { id: 'router', secret: 'router-secret-of-some-forty-characters--' };
const PACKAGES = ['@apollo/gateway@2.14.4', '@apollo/server@5', 'graphql@16'];
const INSTALL_MILLIS = 600_000;

const app = useTestApp({
  FEDERATION: 'on',
  // As in production: only a service can compose.
  GRAPHQL_INTROSPECTION: 'off',
  INTROSPECTION_CLIENTS: [APPOINTMENTS, ROUTER].map(clientEntry).join(','),
});

const project = temporaryFolder();
let appointments: string;
let supergraph: string;
const ends: (() => Promise<unknown>)[] = [];

/** Runs a program, and returns the first address that it prints. */
async function start(folder: string, file: string, env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, [file], { cwd: folder, env: { PATH: process.env.PATH, ...env } });
  const program = watch(child);
  ends.push(() => {
    child.kill('SIGKILL');
    return program.exitCode();
  });
  await program.printed('\n');
  return /http:\/\/[\w.]+:\d+/.exec(program.stdout)?.[0] ?? `${program.stdout}${program.stderr}`;
}

/** The router of the example, for these subgraphs. */
async function startRouter(): Promise<string> {
  const code = await readFile(path.join(ROOT, 'examples/router/router.js'), 'utf8');
  const addresses = { 'http://127.0.0.1:4000': app.url, 'http://127.0.0.1:4100': appointments };
  for (const address of Object.keys(addresses)) {
    expect(code).toContain(address);
  }
  const own = code.replace(
    /http:\/\/127\.0\.0\.1:4[01]00/g,
    (address) => addresses[address as keyof typeof addresses],
  );
  await writeFile(path.join(project, 'router.mjs'), own);
  const env = { AUTH_GATEWAY_SECRET: ROUTER.secret, PORT: String(await freePort()) };
  return start(project, 'router.mjs', env);
}

beforeAll(async () => {
  await writeFile(path.join(project, 'package.json'), '{}');
  await install(project, ...PACKAGES);
  appointments = await start(ROOT, 'examples/appointments/start.js', {
    PORT: '0',
    AUTH_GATEWAY_URL: app.url,
    AUTH_GATEWAY_SECRET: APPOINTMENTS.secret,
  });
  supergraph = await startRouter();
}, INSTALL_MILLIS);
afterAll(async () => {
  await Promise.all(ends.map((end) => end()));
});

interface Person {
  name?: string;
  email?: string;
  phone?: string | null;
  role?: string;
}
interface Data {
  me?: Person;
  appointments?: { startsAt: string; patient: Person | null; doctor: Person | null }[];
}

async function query(document: string, headers: Record<string, string> = {}, variables = {}) {
  const http = await sendJson(`${supergraph}/`, { query: document, variables }, headers);
  return { text: http.text, ...jsonOf<GraphqlBody<Data>>(http) };
}

async function book(token: string, doctor: unknown) {
  const body = { doctor, startsAt: `2030-01-31T12:00:00.000Z` };
  const { status } = await sendJson(`${appointments}/appointments`, body, bearer(token));
  expect(status).toBe(201);
}

/** A patient with an appointment. */
async function aVisit() {
  const api = restApi(app.url);
  const doctor = registeredDoctor(await api.registerDoctor(aDoctor()));
  const patient = authenticated(await api.registerPatient(aPatient({ phone: '+1 555 0177' })));
  await book(patient.token, doctor.account.id);
  return { doctor, patient };
}

test('each sees the names of both in one query, and of the own account all fields', async () => {
  const { doctor, patient } = await aVisit();
  const document = '{ me { email } appointments { patient { name role } doctor { name role } } }';
  const visit = {
    patient: { name: patient.account.name, role: 'PATIENT' },
    doctor: { name: doctor.account.name, role: 'DOCTOR' },
  };
  for (const { account, token } of [doctor, patient]) {
    const { data, errors } = await query(document, bearer(token));
    expect([data, errors]).toEqual([{ me: { email: account.email }, appointments: [visit] }, undefined]);
  }
  const own = await query('{ appointments { patient { name email phone } } }', bearer(patient.token));
  const { name, email, phone } = patient.account;
  expect(own.data?.appointments).toEqual([{ patient: { name, email, phone } }]);
});

test.each(['email', 'phone', 'createdAt', 'profile { licenseNumber }', 'name: email', 'x: email name'])(
  'nobody reads %s of another account',
  async (fields) => {
    const { doctor, patient } = await aVisit();
    const asked = await query(`{ appointments { patient { ${fields} } } }`, bearer(doctor.token));
    expect(errorsIn(asked)).toEqual([['FORBIDDEN', 'This action is unauthorized.']]);
    for (const secret of [patient.account.email, String(patient.account.phone)]) {
      expect(asked.text).not.toContain(secret);
    }
  },
);

test('an appointment with an unknown doctor has none, and its patient', async () => {
  const patient = authenticated(await restApi(app.url).registerPatient(aPatient()));
  await book(patient.token, 'nobody');
  const { data } = await query(
    '{ appointments { doctor { name } patient { name } } }',
    bearer(patient.token),
  );
  expect(data?.appointments).toEqual([{ doctor: null, patient: { name: patient.account.name } }]);
});

test('callers of the router can ask for no account by its id', async () => {
  const { patient } = await aVisit();
  const document = 'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Account { name } } }';
  const r = [{ __typename: 'Account', id: patient.account.id }];
  const { data, text } = await query(document, {}, { r });
  expect(data ?? null).toBeNull();
  expect(text).not.toContain(patient.account.name);
  expect(errorsIn(await query('{ _service { sdl } }'))[0]?.[0]).toBe('GRAPHQL_VALIDATION_FAILED');
});

test('a revoked token and a missing one are refused by every subgraph', async () => {
  const { patient } = await aVisit();
  succeeded(await restApi(app.url).logout(bearer(patient.token).Authorization));
  for (const headers of [bearer(patient.token), {}]) {
    for (const document of ['{ me { name } }', '{ appointments { patient { name } } }']) {
      const { data, ...body } = await query(document, headers);
      expect([data ?? null, errorsIn(body)]).toEqual([null, [['UNAUTHENTICATED', 'Unauthenticated.']]]);
    }
  }
});
