import * as client from '../../../packages/client/src/generated/graphql.ts';
import { uploadRequest } from '../../support/graphql-api.ts';
import { type HttpResponse, send, sendJson } from '../../support/http.ts';
import { appendField, isDocument, sendForm } from '../../support/multipart.ts';
import { aSender } from '../../support/people.ts';
import { toRestName } from '../../support/rest-api.ts';
import { OPERATIONS } from './rows.ts';
import {
  casesOf,
  documentOf,
  type Endpoint,
  endpointsOf,
  graphqlSender,
  operationsOf,
  type Sender,
  useTable,
} from './table.ts';

// What each operation answers and changes, through each API that has it. The record is in __snapshots__: a change of it is a change
// that callers see.

const ENDPOINTS = endpointsOf((path) => path.startsWith('/api/'));

const restSender =
  (url: string, { method, path }: Endpoint): Sender =>
  (given, headers) => {
    const { id, ...fields } = given as { id?: string };
    const named = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [toRestName(name), value]),
    );
    const address = `${url}${path.replace('{id}', String(id))}`;
    if (method === 'GET') {
      return send(address, { headers });
    }
    if (Object.values(named).some(isDocument)) {
      const form = new FormData();
      for (const [name, value] of Object.entries(named)) {
        appendField(form, name, value);
      }
      return sendForm(url, { path, headers: {}, form }, headers);
    }
    return sendJson(address, named, headers, method);
  };

const uploadSender =
  (url: string, document: unknown): Sender =>
  (fields, headers): Promise<HttpResponse> =>
    Object.values(fields).some(isDocument)
      ? sendForm(url, uploadRequest(String(document), fields as Record<string, unknown>), headers)
      : graphqlSender(`${url}/graphql`, document)(fields, headers);

const table = useTable();

test('each operation of both APIs has a row', () => {
  const operations = new Set([...operationsOf('schema/schema.graphql'), ...ENDPOINTS.keys()]);
  expect(Object.keys(OPERATIONS).sort()).toEqual([...operations].sort());
});

test('most answers have these headers', () => {
  expect(table.recorder.usualHeaders()).toMatchSnapshot();
});

describe.each(Object.entries(OPERATIONS))('%s', (name, row) => {
  const endpoint = ENDPOINTS.get(name);
  const document = operationsOf('schema/schema.graphql').includes(name) && documentOf(client, name);
  const cases = casesOf(row);
  if (endpoint) {
    test.each(cases)('through REST %s', async (_, prepare) => {
      const request = await prepare(table.cast(), restSender(table.url(), endpoint));
      expect(await table.recorder.record(request)).toMatchSnapshot();
    });
  }
  if (endpoint && row.as !== undefined && endpoint.method !== 'GET') {
    test('through REST without a token, and with broken JSON', async () => {
      const { method, path } = endpoint;
      const request = () => sendJson(`${table.url()}${path}`, '{', aSender(), method);
      expect(await table.recorder.record(request)).toMatchSnapshot();
    });
  }
  if (document) {
    test.each(cases)('through GraphQL %s', async (_, prepare) => {
      const request = await prepare(table.cast(), uploadSender(table.url(), document));
      expect(await table.recorder.record(request)).toMatchSnapshot();
    });
  }
});
