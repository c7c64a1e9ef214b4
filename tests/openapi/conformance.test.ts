import { createServer } from 'node:http';
import { send } from '../support/http.ts';
import { listenOnFreePort } from '../support/listen.ts';
import { type Exchange, problemsOf } from '../support/openapi-conformance.ts';
import { sendRaw } from '../support/raw-http.ts';
import { takeUndocumented } from '../support/response-record.ts';

const LOGIN = '/api/v1/auth/login';

const anExchange = (exchange: Partial<Exchange> = {}, headers: Record<string, string> = {}): Exchange => ({
  method: 'POST',
  path: LOGIN,
  status: 401,
  headers: new Headers({ 'X-Request-Id': 'id', 'Content-Type': 'application/json', ...headers }),
  text: '{"message":"Invalid credentials"}',
  ...exchange,
});

test('a documented response has no problems', () => {
  expect(problemsOf(anExchange())).toEqual([]);
});

test.each<[string, Exchange]>([
  ['another text', anExchange({ text: '{"message":"Wrong password"}' })],
  ['a field too many', anExchange({ text: '{"message":"Invalid credentials","email":"a@b.org"}' })],
  ['another status', anExchange({ status: 402 })],
  ['another type', anExchange({}, { 'Content-Type': 'text/html' })],
  ['no request id', anExchange({ headers: new Headers({ 'Content-Type': 'application/json' }) })],
  ['a request id that is none', anExchange({}, { 'X-Request-Id': 'a b' })],
  ['429 that does not say when', anExchange({ status: 429, text: '{"message":"Too Many Attempts."}' })],
  ['an unknown path that answers', anExchange({ path: '/api/v1/auth/nowhere', status: 200 })],
  ['an unknown method that answers', anExchange({ method: 'PUT', status: 200 })],
  ['405 that does not say what is allowed', anExchange({ method: 'PUT', status: 405 })],
])('%s is a problem', (_, exchange) => {
  expect(problemsOf(exchange)).not.toEqual([]);
});

test('the tests compare every response, with either of their clients', async () => {
  const server = createServer((_, res) => res.writeHead(418).end());
  const url = `http://127.0.0.1:${await listenOnFreePort(server)}`;
  await send(`${url}${LOGIN}`, { method: 'POST' });
  await sendRaw(url, { method: 'POST', path: LOGIN });
  await send(`${url}/graphql`);
  server.close();
  const problem = `POST ${LOGIN}: 418: undocumented`;
  expect(takeUndocumented()).toEqual([problem, problem]);
  expect(takeUndocumented()).toEqual([]);
});
