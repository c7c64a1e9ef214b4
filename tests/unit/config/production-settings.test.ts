import { readConfig } from '../../../src/config/config.ts';
import { keysOf, problemsOf } from '../../support/config-problems.ts';

const MONGODB_URI = 'mongodb://127.0.0.1/test';

describe('in production', () => {
  const NODE_ENV = 'production';
  const BASE_URL = 'https://auth.example.org';

  test('the server listens on every interface, and introspection is off', () => {
    expect(readConfig({ NODE_ENV, BASE_URL, MONGODB_URI })).toMatchObject({
      host: '0.0.0.0',
      introspection: false,
    });
  });

  test('pages are on by default only in development', () => {
    expect(readConfig({}).pages).toBe(true);
    expect(readConfig({ NODE_ENV: 'test' }).pages).toBe(false);
    expect(readConfig({ NODE_ENV, BASE_URL, MONGODB_URI }).pages).toBe(false);
    expect(readConfig({ NODE_ENV, BASE_URL, MONGODB_URI, PAGES: 'on' }).pages).toBe(true);
    expect(readConfig({ PAGES: 'off' }).pages).toBe(false);
  });

  test('HOST and GRAPHQL_INTROSPECTION can be set', () => {
    const settings = { NODE_ENV, BASE_URL, MONGODB_URI, HOST: '127.0.0.1', GRAPHQL_INTROSPECTION: 'on' };
    expect(readConfig(settings)).toMatchObject({ host: '127.0.0.1', introspection: true });
  });

  test('the embedded database is refused unless it is allowed', () => {
    expect(keysOf(problemsOf({ NODE_ENV, BASE_URL }))).toEqual(['MONGODB_URI']);
    expect(readConfig({ NODE_ENV, BASE_URL, EMBEDDED_DATABASE: 'allow' }).database.kind).toBe('embedded');
  });

  test('a database in memory is refused in one sentence, even if the embedded database is allowed', () => {
    const settings = { NODE_ENV, BASE_URL, EMBEDDED_DATABASE: 'allow', DATA_DIR: ':memory:' };
    expect(problemsOf(settings)).toEqual([
      'DATA_DIR must not be :memory: in production, where all accounts would be gone after a restart.',
    ]);
  });

  test.each(['', ' '])('a missing BASE_URL is refused in one sentence (%j)', (baseUrl) => {
    expect(problemsOf({ NODE_ENV, MONGODB_URI, BASE_URL: baseUrl })).toEqual([
      'BASE_URL must be set in production, to the address that callers use: links to documents begin with it.',
    ]);
  });

  test('a BASE_URL that cannot be used is one problem, not two', () => {
    expect(keysOf(problemsOf({ NODE_ENV, MONGODB_URI, BASE_URL: 'auth.example.org' }))).toEqual(['BASE_URL']);
  });
});
