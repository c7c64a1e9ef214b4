import { createElement, type ReactElement } from 'react';
import { renderToString } from 'react-dom/server';
import { rememberToken } from '../../../tests/support/response-record.ts';
import { anEnrolledPerson, codeAt, TWO_FACTOR } from '../../../tests/support/second-factor.ts';
import { useTestApp } from '../../../tests/support/test-app.ts';
import { type AuthClient, createAuthClient } from '../src/index.ts';
import { AuthProvider, useAuth, useSession } from '../src/react/index.ts';
import { dataOf, errorOf, watchedFetch } from './support/results.ts';

const app = useTestApp(TWO_FACTOR);

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

test('a component logs in with a second factor, by functions of the client that it has taken apart', async () => {
  const { email, password, secretKey, id } = await anEnrolledPerson(app.url);
  let functions: Pick<AuthClient, 'login' | 'completeLogin'> | undefined;
  const Login = () => {
    const { login, completeLogin } = useAuth();
    functions = { login, completeLogin };
    return null;
  };
  const ofApp = createAuthClient({ url: app.url, fetch: watchedFetch });
  renderToString(createElement(AuthProvider, { client: ofApp }, createElement(Login)));
  if (!functions) {
    throw new Error('nothing was rendered');
  }
  const error = errorOf(await functions.login({ email, password }));
  if (error.code !== 'TWO_FACTOR_REQUIRED') {
    throw new Error(error.code);
  }
  const { challenge } = error;
  rememberToken(challenge);
  expect(ofApp.session.status).toBe('anonymous');
  dataOf(await functions.completeLogin({ challenge, code: codeAt(secretKey) }));
  expect(ofApp.session).toMatchObject({ status: 'authenticated', account: { id } });
});
