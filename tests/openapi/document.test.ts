import { aPdf } from '../support/documents.ts';
import { type HttpResponse, jsonOf, sendJson } from '../support/http.ts';
import { appendField, sendForm } from '../support/multipart.ts';
import {
  type MediaType,
  type Operation,
  openApiDocument,
  problemWith,
  type ResponseRule,
  resolved,
} from '../support/openapi.ts';
import { APPOINTMENTS, ask, basic, SERVICES } from '../support/services.ts';
import { bearer } from '../support/session.ts';
import { useTestApp } from '../support/test-app.ts';

const app = useTestApp({ ...SERVICES, EVENT_CLIENTS: 'appointments=*' });
const document = openApiDocument();

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);
const responsesOf = (operation: Operation): [string, ResponseRule][] =>
  Object.entries(operation.responses).map(([status, response]) => [status, resolved(response)]);
const allResponses = [
  ...operations.flatMap(({ operation }) => responsesOf(operation).map(([, response]) => response)),
  ...Object.values(document.components.responses),
];
const requestMedia = operations.flatMap(({ operation }) =>
  Object.values(operation.requestBody?.content ?? {}),
);
const jsonMedia = allResponses.flatMap(({ content }) => content?.['application/json'] ?? []);

/** Every object in the document that refers to another. */
function references(node: unknown): { $ref: string }[] {
  if (typeof node !== 'object' || node === null) {
    return [];
  }
  const inner = Object.values(node).flatMap(references);
  return '$ref' in node && typeof node.$ref === 'string' ? [{ $ref: node.$ref }, ...inner] : inner;
}

test('the document is OpenAPI 3.1 and has no broken reference', () => {
  expect(document.openapi).toMatch(/^3\.1\.\d+$/);
  const all = references(document);
  expect(all.length).toBeGreaterThan(100);
  for (const reference of all) {
    expect(resolved(reference)).toBeInstanceOf(Object);
  }
});

test('every operation has its own name and may fail with 500 and 503', () => {
  const names = operations.map(({ operation }) => operation.operationId);
  expect(new Set(names).size).toBe(operations.length);
  for (const { operation } of operations) {
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['500', '503']));
  }
});

test('every response has a description and an X-Request-Id, and every JSON body an example', () => {
  for (const { description, headers } of allResponses) {
    expect(description).not.toBe('');
    expect(headers).toHaveProperty('X-Request-Id');
  }
  expect(jsonMedia.length).toBeGreaterThan(0);
  for (const { examples } of jsonMedia) {
    expect(Object.keys(examples ?? {})).not.toEqual([]);
  }
});

test('every schema compiles', () => {
  for (const name of Object.keys(document.components.schemas)) {
    expect(() => problemWith(`#/components/schemas/${name}`, null)).not.toThrow();
  }
});

test('every example fits its schema', () => {
  const problems = [...requestMedia, ...jsonMedia].flatMap(({ schema, examples = {} }) =>
    Object.entries(examples).map(([name, { value }]) => [name, problemWith(schema?.$ref ?? '', value)]),
  );
  expect(problems.length).toBeGreaterThan(0);
  expect(problems.filter(([, problem]) => problem !== undefined)).toEqual([]);
});

const requests = operations.flatMap(({ path, method, operation }) =>
  Object.entries(operation.requestBody?.content ?? {}).flatMap(
    ([type, { examples = {} }]: [string, MediaType]) =>
      Object.entries(examples).map(([name, { value }]) => ({ path, method, operation, type, name, value })),
  ),
);

async function tokenOfPatient(): Promise<string> {
  const credentials = { email: 'pat@example.org', password: 'correct horse battery' };
  return jsonOf<{ token: string }>(await sendJson(`${app.url}/api/v1/auth/login`, credentials)).token;
}

async function sendExample({ path, method, type, value }: (typeof requests)[number]): Promise<HttpResponse> {
  if (type === 'application/json') {
    // Only the operations for somebody who is logged in look at the token.
    const ofService = path === '/events/accounts' && basic(APPOINTMENTS.id, APPOINTMENTS.secret);
    const headers = method === 'put' ? bearer(await tokenOfPatient()) : { ...ofService };
    return sendJson(`${app.url}${path}`, value, headers, method.toUpperCase());
  }
  if (type === 'application/x-www-form-urlencoded') {
    return ask(app.url, new URLSearchParams(value as Record<string, string>).toString());
  }
  const form = new FormData();
  for (const [name, text] of Object.entries(value ?? {})) {
    appendField(form, name, name.endsWith('_file') ? aPdf() : text);
  }
  return sendForm(app.url, { path, headers: {}, form });
}

// In the order of the document: who registers in one example logs in with another.
test.each(requests)('the request "$name" of $path gets the example of that name', async (request) => {
  const { operation, name } = request;
  const answers = responsesOf(operation).flatMap(([status, { content }]) => {
    const example = content?.['application/json']?.examples?.[name];
    return example ? [{ status: Number(status), body: example.value }] : [];
  });
  expect(answers).toHaveLength(1);
  const http = await sendExample(request);
  expect(http.status).toBe(answers[0]?.status);
  if (http.status >= 400) {
    expect(jsonOf(http)).toEqual(answers[0]?.body);
  }
});
