import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { authenticated, registeredDoctor, succeeded } from '../support/expectations.ts';
import { watch } from '../support/gateway-process.ts';
import { jsonOf, send, sendJson } from '../support/http.ts';
import { freePort } from '../support/listen.ts';
import { aDoctor, aPatient } from '../support/people.ts';
import { codeUnder } from '../support/readme.ts';
import { rememberPassword } from '../support/response-record.ts';
import { restApi } from '../support/rest-api.ts';
import { APPOINTMENTS, SERVICES } from '../support/services.ts';
import { bearer } from '../support/session.ts';
import { useTestApp } from '../support/test-app.ts';

const STARTS_AT = '2030-01-31T12:00:00.000Z';

const app = useTestApp(SERVICES);
const ends: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(ends.map((end) => end())));

/** Starts the example, and returns its address. */
async function startService(gateway: string = app.url): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    PORT: '0',
    AUTH_GATEWAY_URL: gateway,
    AUTH_GATEWAY_SECRET: APPOINTMENTS.secret,
  };
  const child = spawn(process.execPath, ['examples/appointments/start.js'], { env });
  const service = watch(child);
  ends.push(() => {
    child.kill();
    return service.exitCode();
  });
  await service.printed('\n');
  return /http:\S+(?=\/appointments)/.exec(service.stdout)?.[0] ?? service.stderr;
}

let url: string;
beforeAll(async () => {
  url = await startService();
});

const api = () => restApi(app.url);
const patient = async () => authenticated(await api().registerPatient(aPatient()));
const doctor = async () => registeredDoctor(await api().registerDoctor(aDoctor()));

const read = async (token: string) => {
  const http = await send(`${url}/appointments`, { headers: bearer(token) });
  return { status: http.status, ...jsonOf<{ data?: { id: string }[]; message?: string }>(http) };
};
const book = async (token: string, body: unknown) => {
  const http = await sendJson(`${url}/appointments`, body, bearer(token));
  return { status: http.status, ...jsonOf<{ data: { id: string } }>(http) };
};
const cancel = async (token: string, id: string) =>
  (await send(`${url}/appointments/${id}`, { method: 'DELETE', headers: bearer(token) })).status;

test('a patient books an appointment, and both its patient and its doctor see it, but nobody else', async () => {
  const [pat, doc, other] = [await patient(), await doctor(), await patient()];
  const booked = await book(pat.token, {
    doctor: doc.account.id,
    startsAt: STARTS_AT,
    patient: other.account.id,
  });
  const appointment = {
    id: expect.any(String),
    patient: pat.account.id,
    doctor: doc.account.id,
    startsAt: STARTS_AT,
    isConfirmed: false,
  };
  expect(booked).toEqual({ status: 201, data: appointment });
  expect(await read(pat.token)).toEqual({ status: 200, data: [appointment] });
  expect(await read(doc.token)).toEqual({ status: 200, data: [appointment] });
  expect(await read(other.token)).toEqual({ status: 200, data: [] });
});

test('only its patient and its doctor can cancel an appointment', async () => {
  const [pat, doc, other] = [await patient(), await doctor(), await doctor()];
  const { data } = await book(pat.token, { doctor: doc.account.id, startsAt: STARTS_AT });
  expect(await cancel(other.token, data.id)).toBe(404);
  expect(await cancel(doc.token, data.id)).toBe(204);
  expect(await cancel(pat.token, data.id)).toBe(404);
});

test('only its doctor can confirm an appointment, once a reviewer has approved the doctor', async () => {
  const [pat, doc, other] = [await patient(), await doctor(), await doctor()];
  const { data } = await book(pat.token, { doctor: doc.account.id, startsAt: STARTS_AT });
  const confirm = async (token: string) =>
    (await send(`${url}/appointments/${data.id}/confirmation`, { method: 'PUT', headers: bearer(token) }))
      .status;
  const times = { decidedAt: new Date(), submittedAt: new Date() };
  const decide = (id: string, status: string) =>
    app.database.db
      .collection<{ _id: string }>('doctor_profiles')
      .updateOne({ _id: id }, { $set: { verification: { status, reason: null, ...times } } });
  expect([await confirm(pat.token), await confirm(doc.token)]).toEqual([403, 403]);
  await decide(doc.account.id, 'verified');
  await decide(other.account.id, 'verified');
  expect([await confirm(other.token), await confirm(doc.token)]).toEqual([404, 204]);
  expect((await read(pat.token)).data).toMatchObject([{ isConfirmed: true }]);
  await decide(doc.account.id, 'suspended');
  expect(await confirm(doc.token)).toBe(403);
});

test('a doctor cannot book, and is free only once at a time', async () => {
  const [pat, doc] = [await patient(), await doctor()];
  const fields = { doctor: doc.account.id, startsAt: STARTS_AT };
  expect(await book(doc.token, fields)).toEqual({
    status: 403,
    message: 'This action is unauthorized.',
    reason: 'role',
  });
  expect((await book(pat.token, fields)).status).toBe(201);
  expect(await book(pat.token, { ...fields, startsAt: '2030-01-31T13:00:00+01:00' })).toEqual({
    status: 409,
    message: 'The doctor is not free then.',
  });
});

test('as a subgraph it shows only the own appointments, with the ids of both', async () => {
  const [pat, doc, other] = [await patient(), await doctor(), await patient()];
  await book(pat.token, { doctor: doc.account.id, startsAt: STARTS_AT });
  const query = async (headers = {}) => {
    const document = '{ appointments { startsAt patient { id } doctor { id } } }';
    return jsonOf(await sendJson(`${url}/graphql`, { query: document }, headers));
  };
  const appointment = {
    startsAt: STARTS_AT,
    patient: { id: pat.account.id },
    doctor: { id: doc.account.id },
  };
  expect(await query(bearer(doc.token))).toEqual({ data: { appointments: [appointment] } });
  expect(await query(bearer(other.token))).toEqual({ data: { appointments: [] } });
  expect(await query()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
});

test.each([{}, { doctor: 5, startsAt: 'soon' }, { doctor: {}, startsAt: {} }, [], null, '{', '"x"'])(
  'a body that makes no sense gets a clear answer: %j',
  async (body) => {
    const { status } = await book((await patient()).token, body);
    expect([400, 422]).toContain(status);
  },
);

test('a token that is revoked at the gateway is refused by the next request', async () => {
  const { token } = await patient();
  expect((await read(token)).status).toBe(200);
  succeeded(await api().logout(bearer(token).Authorization));
  expect(await read(token)).toEqual({ status: 401, message: 'Unauthenticated.' });
});

test('nobody gets in while the gateway is unreachable', async () => {
  const closed = await startService(`http://127.0.0.1:${await freePort()}`);
  const http = await send(`${closed}/appointments`, { headers: bearer('1|any') });
  expect([http.status, http.headers.get('retry-after')]).toEqual([503, '1']);
});

test('the visit in its README has the documented answers', async () => {
  const script = await codeUnder('A visit with curl', 'sh', 'examples/appointments/README.md');
  rememberPassword('correct horse');
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    env: { ...process.env, BASE: app.url, SERVICE: url },
  });
  const answers = stdout.split('\n').filter((line) => line.startsWith('{'));
  expect(answers.map((line) => Object.keys(JSON.parse(line)))).toEqual([
    ['data'],
    ['data'],
    ['message'],
    ['message'],
  ]);
  expect(answers[3]).toBe('{"message":"Unauthenticated."}');
});
