import { createElement, type ReactElement } from 'react';
import { renderToString } from 'react-dom/server';
import { createAuthClient } from '../src/index.ts';
import { AuthProvider, useAuth, useSession } from '../src/react/index.ts';

const client = createAuthClient({ url: 'http://gateway.example' });
const Status = () => createElement('b', null, useSession().status);
const Token = () => createElement('i', null, String(useAuth().token));
const render = (...children: ReactElement[]) =>
  renderToString(createElement(AuthProvider, { client }, ...children));

test('a server renders the session as `loading`, whatever the client knows', () => {
  expect(client.session.status).toBe('anonymous');
  expect(render(createElement(Status), createElement(Token))).toBe('<b>loading</b><i>null</i>');
});

test('the nearest provider counts', () => {
  const inner = createAuthClient({ url: 'http://gateway.example', token: '1|inner' });
  const nested = createElement(AuthProvider, { client: inner }, createElement(Token));
  expect(render(createElement(Token), nested)).toBe('<i>null</i><i>1|inner</i>');
});

test.each([
  ['useSession', Status],
  ['useAuth', Token],
])('%s outside of a provider says so', (hook, component) => {
  expect(() => renderToString(createElement(component))).toThrow(
    `${hook} works only below <AuthProvider client={client}>.`,
  );
});

test('a provider without a client says what it needs', () => {
  const Provider = AuthProvider as (properties: object) => ReactElement;
  expect(() => renderToString(createElement(Provider))).toThrow(
    'AuthProvider needs a client: <AuthProvider client=',
  );
});
