import { type AuthClient, createAuthClient } from '../src/index.ts';
import { withGlobals } from './support/globals.ts';
import { errorOf } from './support/results.ts';

const SECRET = '1|never-to-be-seen';
const URL_MISSING = 'createAuthClient needs the option "url", the address of the gateway.';
const EXAMPLE = "Example: createAuthClient({ url: 'https://auth.example.org' })";

const messageOf = (...options: unknown[]): string => {
  try {
    (createAuthClient as (...options: unknown[]) => AuthClient)(...options);
  } catch (error) {
    if (error instanceof TypeError) {
      return error.message;
    }
  }
  return 'no TypeError';
};

describe('createAuthClient throws a TypeError with an example about', () => {
  test.each([
    ['no options', []],
    ['options that are undefined', [undefined]],
    ['options that are null', [null]],
    ['options without an address', [{}]],
    ['an address that is undefined', [{ url: undefined, token: SECRET }]],
    ['an address that is null', [{ url: null }]],
  ])('%s', (_what, options) => {
    expect(messageOf(...options)).toBe(`${URL_MISSING} ${EXAMPLE}`);
  });

  test('options that are no object', () => {
    const text = `createAuthClient needs an object with options. ${EXAMPLE}`;
    expect(messageOf('https://auth.example.org')).toBe(text);
  });

  test.each([4000, {}, new URL('http://127.0.0.1:4000'), ['http://127.0.0.1:4000'], true])(
    'an address that is not a string: %p',
    (url) => {
      expect(messageOf({ url })).toBe(`The option "url" must be a string. ${EXAMPLE}`);
    },
  );

  test.each([
    'localhost:4000',
    'ftp://127.0.0.1',
    'http://',
    'http://user:secret@host:none',
    'file:///graphql',
  ])('an address without http or https, which it does not quote: "%s"', (url) => {
    const text = 'must be an address with http:// or https://, or in a page one that begins with "/".';
    expect(messageOf({ url })).toBe(`The option "url" ${text} ${EXAMPLE}`);
  });

  test('all problems together, and names that do not exist', () => {
    const options = {
      baseURL: 'https://auth.example.org',
      token: { token: SECRET },
      storage: { getItem() {}, setItem() {} },
      storageKey: '',
      onTokenChange: 'print',
      fetch: {},
      timeoutMillis: Number.NaN,
    };
    const problems = [
      URL_MISSING,
      'The option "token" must be a string or null.',
      'The option "storage" must be "memory", "localStorage", or an object with getItem, setItem and removeItem.',
      'The option "storageKey" must be a string that is not empty.',
      'The option "onTokenChange" must be a function.',
      'The option "fetch" must be a function like the platform’s fetch.',
      'The option "timeoutMillis" must be a number of milliseconds above 0.',
      'There is no option "baseURL".',
      EXAMPLE,
    ];
    expect(messageOf(options)).toBe(problems.join(' '));
  });

  test.each([
    { storage: 'sessionStorage' },
    { storage: null },
    { storage: true },
    { timeoutMillis: '5' },
    { timeoutMillis: 0 },
    { timeoutMillis: -1 },
    { token: 42 },
    { fetch: null },
  ])('%j', (options) => {
    const [name] = Object.keys(options);
    expect(messageOf({ url: 'http://127.0.0.1:4000', ...options })).toContain(
      `The option "${name}" must be `,
    );
  });
});

test('what may be left out may also be undefined, and options of later versions do not disturb', () => {
  const names = [
    'token',
    'storage',
    'storageKey',
    'onTokenChange',
    'fetch',
    'timeoutMillis',
    'inventedLater',
  ];
  const options = Object.fromEntries(names.map((name) => [name, undefined]));
  expect(messageOf({ url: 'http://127.0.0.1:4000', ...options })).toBe('no TypeError');
});

/** The addresses that a call asks, and the message of its error. */
async function calling(url: string) {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (address) => {
    asked.push(String(address));
    throw new TypeError('fetch failed');
  };
  const { message } = errorOf(await createAuthClient({ url, fetch }).me());
  return { asked, message };
}

test.each([
  ['https://auth.example.org', 'https://auth.example.org/graphql'],
  ['https://auth.example.org/', 'https://auth.example.org/graphql'],
  ['HTTPS://Auth.Example.org:8443/a/b//?tenant=x', 'https://auth.example.org:8443/a/b/graphql?tenant=x'],
  ['http://user:secret@127.0.0.1:4000', 'http://user:secret@127.0.0.1:4000/graphql'],
  ['http://[::1]:4000', 'http://[::1]:4000/graphql'],
  ['https://auth.example.org/a/graphql/', 'https://auth.example.org/a/graphql'],
])('the API of %s is at %s', async (url, endpoint) => {
  const { asked, message } = await calling(url);
  expect(asked).toEqual([endpoint]);
  expect(message).not.toContain('secret');
});

test.each([
  ['', 'https://app.example.org/graphql'],
  ['/', 'https://app.example.org/graphql'],
  ['/auth/', 'https://app.example.org/auth/graphql'],
  ['auth', 'https://app.example.org/auth/graphql'],
  ['/graphql', 'https://app.example.org/graphql'],
])('in a browser the address may be relative to the page: "%s"', async (url, endpoint) => {
  const location = { href: 'https://app.example.org/login?next=1#a', origin: 'https://app.example.org' };
  await withGlobals({ location }, async () => {
    expect((await calling(url)).asked).toEqual([endpoint]);
  });
});

describe('on a server that renders a page', () => {
  test.each(['', '/', '/auth', 'auth'])('a relative address is no error until a call: "%s"', async (url) => {
    const client = createAuthClient({ url });
    expect(client.session.status).toBe('anonymous');
    expect(errorOf(await client.me())).toEqual({
      code: 'NETWORK_ERROR',
      message: expect.stringContaining('The option "url" is relative to a page, and there is none'),
    });
  });

  test('the fetch of a framework gets the relative address', async () => {
    expect((await calling('/auth/')).asked).toEqual(['/auth/graphql']);
  });
});

test.each(['127.0.0.1:4000', 'auth.example.org', 'auth.example.org/auth'])(
  'in a browser a host without a scheme is not taken for a relative address: "%s"',
  async (url) => {
    await withGlobals({ location: { href: 'https://app.example.org/' } }, async () => {
      expect(messageOf({ url })).toContain('must be an address with http:// or https://');
    });
  },
);

test('a token that is no string cannot be set', () => {
  const client = createAuthClient({ url: 'http://127.0.0.1:4000' });
  expect(() => Object.assign(client, { token: { token: SECRET } })).toThrow(
    new TypeError('The token of a client must be a string or null.'),
  );
  expect(client.token).toBeNull();
});
