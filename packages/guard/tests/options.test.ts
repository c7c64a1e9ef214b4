import { createGuard } from '../src/index.ts';

const OPTIONS = { url: 'https://auth.example.org', client: 'appointments', secret: 'never-to-be-seen' };

/** The message of the TypeError for wrong options. */
function messageOf(...options: unknown[]): string {
  try {
    (createGuard as (...options: unknown[]) => unknown)(...options);
  } catch (error) {
    if (error instanceof TypeError) {
      expect(error.message).not.toContain('never-to-be-seen');
      return error.message;
    }
  }
  return 'no TypeError';
}

test.each([
  ['no options', [], 'The option "client" of createGuard is required, as a text.'],
  ['options that are null', [null], 'The option "client" of createGuard is required, as a text.'],
  [
    'an empty secret',
    [{ ...OPTIONS, secret: '' }],
    'The option "secret" of createGuard is required, as a text.',
  ],
  [
    'a secret that is unset in the environment',
    [{ ...OPTIONS, secret: undefined }],
    'The option "secret" of createGuard is required, as a text.',
  ],
  [
    'a client with a colon',
    [{ ...OPTIONS, client: 'a:b' }],
    'The option "client" of createGuard must not contain a colon.',
  ],
  ['no address', [{ ...OPTIONS, url: undefined }], 'The option "url" of createGuard is required, as a text.'],
  [
    'an address that is a URL',
    [{ ...OPTIONS, url: new URL(OPTIONS.url) }],
    'The option "url" of createGuard is required, as a text.',
  ],
  [
    'a negative cache',
    [{ ...OPTIONS, cacheMillis: -1 }],
    'The option "cacheMillis" of createGuard must be a number of milliseconds.',
  ],
  [
    'a cache that is no number',
    [{ ...OPTIONS, cacheMillis: '5' }],
    'The option "cacheMillis" of createGuard must be a number of milliseconds.',
  ],
  [
    'a cache that is NaN',
    [{ ...OPTIONS, cacheMillis: Number.NaN }],
    'The option "cacheMillis" of createGuard must be a number of milliseconds.',
  ],
  [
    'no time at all',
    [{ ...OPTIONS, timeoutMillis: 0 }],
    'The option "timeoutMillis" of createGuard must be a number of milliseconds.',
  ],
  [
    'a report that is no function',
    [{ ...OPTIONS, onError: 'log' }],
    'The option "onError" of createGuard must be a function.',
  ],
])('createGuard refuses %s', (_what, options, message) => {
  expect(messageOf(...options)).toBe(message);
});

test.each(['/auth', 'localhost:4000', 'ftp://auth.example.org', 'http://', 'nowhere'])(
  'createGuard refuses the address "%s"',
  (url) => {
    expect(messageOf({ ...OPTIONS, url })).toBe(
      'The option "url" of createGuard must be an address with http:// or https://, such as https://auth.example.org.',
    );
  },
);

test('createGuard refuses a password in the address', () => {
  expect(messageOf({ ...OPTIONS, url: 'https://a:never-to-be-seen@auth.example.org' })).toBe(
    'The option "url" of createGuard must not contain a user name or a password.',
  );
});

test.each([
  [
    { roles: 'doctor' },
    'A guard has the requirements role, ability, verified, emailVerified, acr, maxAge and optional, and no "roles".',
  ],
  ...[undefined, [], [''], ['doctor', 1], null, {}].map((role): [object, string] => [
    { role },
    'The requirement "role" of a guard must be a text, or a list of texts.',
  ]),
  [{ optional: false }, 'The requirement "optional" of a guard must be true, or left out.'],
  [{ verified: false }, 'The requirement "verified" of a guard must be true, or left out.'],
  [{ verified: undefined }, 'The requirement "verified" of a guard must be true, or left out.'],
  [{ verified: 'true' }, 'The requirement "verified" of a guard must be true, or left out.'],
  [{ emailVerified: false }, 'The requirement "emailVerified" of a guard must be true, or left out.'],
  ...['aal3', 'AAL2', '', 2, true, undefined, null, ['aal2'], 'aal1 aal2'].map((acr): [object, string] => [
    { acr },
    'The requirement "acr" of a guard must be "aal1" or "aal2", or left out.',
  ]),
  ...[0, -1, 1.5, 1e21, Number.NaN, Number.POSITIVE_INFINITY, '900', 900n, true, undefined, null, [900]].map(
    (maxAge): [object, string] => [
      { maxAge },
      'The requirement "maxAge" of a guard must be a whole number of seconds, from 1, or left out.',
    ],
  ),
  [
    { max_age: 900 },
    'A guard has the requirements role, ability, verified, emailVerified, acr, maxAge and optional, and no "max_age".',
  ],
  [
    { acr: 'aal2', constructor: 1 },
    'A guard has the requirements role, ability, verified, emailVerified, acr, maxAge and optional, and no "constructor".',
  ],
  [{ ability: '' }, 'The requirement "ability" of a guard must be a text, or a list of texts.'],
  [
    { [Symbol('role')]: 'doctor' },
    'A guard has the requirements role, ability, verified, emailVerified, acr, maxAge and optional, and no "Symbol(role)".',
  ],
  // `every` leaves out what a list does not have.
  [{ ability: new Array(1) }, 'The requirement "ability" of a guard must be a text, or a list of texts.'],
  [
    Object.defineProperty({}, 'verified', { value: 'true' }),
    'The requirement "verified" of a guard must be true, or left out.',
  ],
  ...[
    new Map([['role', 'doctor']]),
    () => ({ role: 'doctor' }),
    ['doctor'],
    new (class {
      get verified() {
        return true;
      }
    })(),
    new (class {
      role = 'doctor';
    })(),
    Object.create({ verified: true }),
    Object.create(Object.create(null, { verified: { value: true, enumerable: true } })),
  ].map((requirements): [object, string] => [
    requirements,
    'The requirements of a guard must be a plain object, such as { role: "doctor" }.',
  ]),
])('a guard refuses the requirements %p, which would let everybody through', (requirements, message) => {
  const guard = createGuard(OPTIONS);
  for (const make of [guard.express, guard.fastify] as ((requirements: unknown) => unknown)[]) {
    expect(() => make(requirements)).toThrow(new TypeError(message));
  }
});

test('options that are inherited count as missing', () => {
  expect(messageOf(Object.create(OPTIONS))).toBe(
    'The option "client" of createGuard is required, as a text.',
  );
});
