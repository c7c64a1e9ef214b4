import type { Agent } from 'node:http';
import { aPdf, aPdfOf } from '../support/documents.ts';
import { eventually } from '../support/eventually.ts';
import { expectInvalidFields, refused, registeredDoctor } from '../support/expectations.ts';
import { graphqlApi } from '../support/graphql-api.ts';
import { aDoctor } from '../support/people.ts';
import { answerTo } from '../support/raw-http.ts';
import { expectQuarantineEmpty, useTestApp } from '../support/test-app.ts';
import { everythingIn } from './support/aftermath.ts';
import {
  doctorParts,
  encode,
  isFile,
  oneFileParts,
  openUpload,
  overOneConnection,
  type Part,
  sendParts,
  textPart,
} from './support/parts.ts';

// docs/decisions.md, "Hazards": what graphql-upload-minimal does when it is used as its README says. Each through our own
// stack, and each followed by a request on the same connection, which used to hang.
const LIMIT_BYTES = 100_000;
const app = useTestApp({ MAX_FILE_BYTES: String(LIMIT_BYTES) });
const narrowApp = useTestApp({
  MAX_FILE_BYTES: String(LIMIT_BYTES),
  MAX_ADDRESS_UPLOAD_BYTES: String(2 ** 20 + 3 * LIMIT_BYTES),
  TRUST_PROXY: '1',
});

const api = () => graphqlApi(app.url);
const partsOf = (fields = aDoctor()) => doctorParts(api(), fields);
const send = async (parts: Part[], agent: Agent) =>
  api().doctorOutcome(await sendParts(app.url, api(), parts, { agent }));

async function expectNothingLeft(request: (agent: Agent) => Promise<void>): Promise<void> {
  const before = await everythingIn(app);
  await overOneConnection(async (agent) => {
    await request(agent);
    await eventually(async () => expect(await everythingIn(app)).toEqual(before));
    registeredDoctor(await send(await partsOf(), agent));
  });
}

/** The parts with another operation or map. */
const withText = (parts: Part[], name: 'operations' | 'map', change: (text: string) => string): Part[] =>
  parts.map((part) => (part.name === name ? textPart(name, change(part.content.toString())) : part));

test('a file over the limit is an error on its field and is not truncated', () =>
  expectNothingLeft(async (agent) => {
    const parts = await partsOf(
      aDoctor({ licenseFile: aPdfOf(LIMIT_BYTES + 1), diplomaFile: aPdfOf(LIMIT_BYTES + 1) }),
    );
    expectInvalidFields(await send(parts, agent), ['licenseFile', 'diplomaFile']);
  }));

test('a file without a name is refused, and the answer says so', () =>
  expectNothingLeft(async (agent) => {
    const nameless = (part: Part): Part => ({
      ...part,
      headers: part.headers.map((header) => header.replace(/; filename="[^"]*"/, '')),
    });
    const refusal = refused(await send((await partsOf()).map(nameless), agent), 'bad request');
    expect(refusal.message).toBe('A file of the map has no file name.');
  }));

test('a refusal of texts before any file is read does not stall the connection', () =>
  expectNothingLeft(async (agent) => {
    expectInvalidFields(
      await send(await partsOf(aDoctor({ email: 'none', licenseFile: aPdfOf(LIMIT_BYTES) })), agent),
      ['email'],
    );
  }));

test('copies of a file count towards what an address may hold', async () => {
  const from = { 'X-Forwarded-For': '192.0.2.1' };
  const held = openUpload(narrowApp.url, graphqlApi(narrowApp.url), 2 ** 20 + LIMIT_BYTES, { headers: from });
  held.flushHeaders();
  const one = oneFileParts(aPdfOf(LIMIT_BYTES).bytes);
  const register = async (headers: Record<string, string>) =>
    api().doctorOutcome(await sendParts(narrowApp.url, graphqlApi(narrowApp.url), one(), { headers }));
  await eventually(async () => refused(await register(from), 'too many attempts'));
  registeredDoctor(await register({ 'X-Forwarded-For': '192.0.2.2' }));
  held.destroy();
  await eventually(async () => registeredDoctor(await register(from)));
  await expectQuarantineEmpty(narrowApp.storageDir);
});

test('a file has no more places than the schema', () =>
  expectNothingLeft(async (agent) => {
    const paths = ['a', 'b', 'c', 'd'].map((name) => `variables.${name}`);
    refused(await send(oneFileParts(aPdf().bytes, paths)(), agent), 'too large');
  }));

// tests/hostile/graphql-uploads.test.ts has hostile ones.
test.each([
  ['operations that are no JSON', 'operations', '{'],
  ['operations that are a number', 'operations', '1'],
  ['a map that is no JSON', 'map', '['],
] as const)('the gateway refuses %s', (_what, name, text) =>
  expectNothingLeft(async (agent) => {
    const parts = withText(await partsOf(), name, () => text);
    refused(await send(parts, agent), 'bad request');
  }),
);

test.each([
  ['the map before the operations', ([operations, map, ...files]: Part[]) => [map, operations, ...files]],
  ['a file before the map', ([operations, map, file, ...files]: Part[]) => [operations, file, map, ...files]],
])('the gateway refuses %s, and names the order', (_what, reordered) =>
  expectNothingLeft(async (agent) => {
    const refusal = refused(await send(reordered(await partsOf()) as Part[], agent), 'bad request');
    expect(refusal.message).toBe(
      'The request body is not a valid GraphQL multipart request: operations, then map, then the files.',
    );
  }),
);

test.each(['operations', 'map'])('the gateway refuses a request without %s', (missing) =>
  expectNothingLeft(async (agent) => {
    const parts = (await partsOf()).filter(({ name }) => name !== missing);
    refused(await send(parts, agent), 'bad request');
  }),
);

test('the gateway writes no byte of a request without the preflight header, and the connection stays usable', () =>
  expectNothingLeft(async (agent) => {
    const before = await everythingIn(app);
    const body = encode((await partsOf()).filter((part) => isFile(part) || part.name !== ''));
    const req = openUpload(app.url, api(), body.length, {
      agent,
      headers: { 'Apollo-Require-Preflight': '' },
    });
    req.write(body.subarray(0, body.length - 100));
    const answer = answerTo(req);
    expect((await answer).status).toBe(400);
    expect(await everythingIn(app)).toEqual(before);
    req.end(body.subarray(body.length - 100));
  }));
