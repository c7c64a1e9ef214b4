import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Options, transform } from '@swc/core';
import { eventually } from '../../../../tests/support/eventually.ts';
import { authenticated, registeredDoctor, succeeded } from '../../../../tests/support/expectations.ts';
import { type HttpResponse, jsonOf, send, sendJson } from '../../../../tests/support/http.ts';
import { freePort } from '../../../../tests/support/listen.ts';
import { aDoctor, aPatient } from '../../../../tests/support/people.ts';
import { codeUnder } from '../../../../tests/support/readme.ts';
import { restApi } from '../../../../tests/support/rest-api.ts';
import { APPOINTMENTS } from '../../../../tests/support/services.ts';
import { bearer } from '../../../../tests/support/session.ts';

const README = 'packages/guard/README.md';
/** The gateway's address in the examples. */
const GATEWAY = 'http://127.0.0.1:4000';
const processes: ChildProcess[] = [];

/** As the compiler of a project with decorators does it. */
const WITH_DECORATORS: Options = {
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
};

/** Ends all services that the tests of the file have started. */
export async function stopServices(): Promise<void> {
  for (const child of processes.splice(0)) {
    const ended = once(child, 'exit');
    // False for one that has ended by itself, whose event has passed.
    await (child.kill('SIGKILL') && ended);
  }
}

/** Replaces a text that must be there. */
function replace(code: string, text: string, by: string): string {
  expect(code).toContain(text);
  return code.replace(text, by);
}

/**
 * Runs an example of the package's README as a service.
 * @param project a folder with the packed guard and the framework
 * @param heading of the example
 * @param gateway the address of the gateway
 * @returns the address of the service
 */
export async function startExample(project: string, heading: string, gateway: string): Promise<string> {
  const guard = replace(await codeUnder('The guard', 'js', README), GATEWAY, gateway);
  const name = `guard-${randomUUID()}.mjs`;
  await writeFile(path.join(project, name), guard);
  const language = heading === 'NestJS' ? 'ts' : 'js';
  const example = replace(await codeUnder(heading, language, README), './guard.js', `./${name}`);
  const service = language === 'ts' ? (await transform(example, WITH_DECORATORS)).code : example;
  return startService(project, service, '3000');
}

/** Runs the example of docs/behind-the-gateway.md as a service. */
export async function startRootExample(project: string, gateway: string): Promise<string> {
  const service = await codeUnder('A guard for Node.js', 'js', 'docs/behind-the-gateway.md');
  return startService(project, replace(service, GATEWAY, gateway), '4100');
}

/** @param documentedPort is replaced by a free one */
async function startService(project: string, code: string, documentedPort: string): Promise<string> {
  const port = await freePort();
  const name = `service-${port}.mjs`;
  await writeFile(path.join(project, name), replace(code, documentedPort, String(port)));
  const env = { PATH: process.env.PATH, AUTH_GATEWAY_SECRET: APPOINTMENTS.secret };
  processes.push(spawn(process.execPath, [name], { cwd: project, env, stdio: 'inherit' }));
  const url = `http://localhost:${port}`;
  await eventually(() => send(url));
  return url;
}

/** A doctor, whose token has the abilities create, update and delete, and a patient. */
async function aDoctorAndAPatient(gateway: string) {
  const api = restApi(gateway);
  const doctor = registeredDoctor(await api.registerDoctor(aDoctor()));
  const patient = authenticated(await api.registerPatient(aPatient()));
  const logOut = async () => succeeded(await api.logout(bearer(doctor.token).Authorization));
  return { doctor, patient, logOut };
}

const summaryOf = (http: HttpResponse) => ({ status: http.status, body: jsonOf(http) });

/** Checks a service with REST: who gets through, and who no longer. */
export async function expectRestIsGuarded(service: string, gateway: string): Promise<void> {
  const { doctor, patient, logOut } = await aDoctorAndAPatient(gateway);
  const get = async (headers = {}) => summaryOf(await send(`${service}/records`, { headers }));
  const { id, name } = doctor.account;
  expect(await get(bearer(doctor.token))).toEqual({ status: 200, body: { accountId: String(id), name } });
  expect(await get(bearer(patient.token))).toEqual({
    status: 403,
    body: { message: 'This action is unauthorized.', reason: 'role' },
  });
  expect(await get()).toEqual({ status: 401, body: { message: 'Unauthenticated.' } });
  await logOut();
  expect(await get(bearer(doctor.token))).toEqual({ status: 401, body: { message: 'Unauthenticated.' } });
}

/** Checks a service with REST whose gateway is unreachable. */
export async function expectRestIsClosed(service: string): Promise<void> {
  const http = await send(`${service}/records`, { headers: bearer('1|any') });
  expect(summaryOf(http)).toEqual({ status: 503, body: { message: 'Service Unavailable' } });
  expect(http.headers.get('retry-after')).toBe('1');
}

interface GraphqlBody {
  data?: unknown;
  errors?: { message: string; extensions: Record<string, unknown> }[];
}

async function query(service: string, field: string, headers = {}) {
  const http = await sendJson(`${service}/graphql`, { query: `{ ${field} }` }, headers);
  const { data, errors } = jsonOf<GraphqlBody>(http);
  return { status: http.status, data, error: errors?.[0]?.message, code: errors?.[0]?.extensions.code };
}

/** Checks a service with GraphQL: who gets through, and who no longer. */
export async function expectGraphqlIsGuarded(service: string, gateway: string): Promise<void> {
  const { doctor, patient, logOut } = await aDoctorAndAPatient(gateway);
  expect(await query(service, 'hello')).toMatchObject({ data: { hello: 'Hello stranger' } });
  expect(await query(service, 'hello records', bearer(doctor.token))).toMatchObject({
    status: 200,
    data: { hello: `Hello ${doctor.account.name}`, records: String(doctor.account.id) },
  });
  expect(await query(service, 'records', bearer(patient.token))).toMatchObject({
    error: 'This action is unauthorized.',
    code: 'FORBIDDEN',
  });
  await logOut();
  expect(await query(service, 'records', bearer(doctor.token))).toMatchObject({
    error: 'Unauthenticated.',
    code: 'UNAUTHENTICATED',
  });
}

/** Checks a service with GraphQL whose gateway is unreachable: it answers nothing, and does not say where the gateway is. */
export async function expectGraphqlIsClosed(service: string): Promise<void> {
  const answer = await query(service, 'hello', bearer('1|any'));
  expect(answer).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
  expect(answer.error).toMatch(/^(Context creation failed: )?Service Unavailable$/);
}
