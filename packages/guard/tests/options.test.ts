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

const REQUIRED = 'is required, as a text.';
const OF_MILLIS = 'must be a number of milliseconds.';

test.each([
  ['an empty secret', { secret: '' }, 'secret', REQUIRED],
  ['a secret that is unset in the environment', { secret: undefined }, 'secret', REQUIRED],
  ['a client with a colon', { client: 'a:b' }, 'client', 'must not contain a colon.'],
  ['no address', { url: undefined }, 'url', REQUIRED],
  ['an address that is a URL', { url: new URL(OPTIONS.url) }, 'url', REQUIRED],
  ['a negative cache', { cacheMillis: -1 }, 'cacheMillis', OF_MILLIS],
  ['a cache that is no number', { cacheMillis: '5' }, 'cacheMillis', OF_MILLIS],
  ['a cache that is NaN', { cacheMillis: Number.NaN }, 'cacheMillis', OF_MILLIS],
  ['no time at all', { timeoutMillis: 0 }, 'timeoutMillis', OF_MILLIS],
  ['a report that is no function', { onError: 'log' }, 'onError', 'must be a function.'],
])('createGuard refuses %s', (_what, changed, option, rule) => {
  expect(messageOf({ ...OPTIONS, ...changed })).toBe(`The option "${option}" of createGuard ${rule}`);
});

test.each([
  ['nothing', []],
  ['null', [null]],
  ['inherited', [Object.create(OPTIONS)]],
])('options that are %s count as missing', (_what, options) => {
  expect(messageOf(...options)).toBe(`The option "client" of createGuard ${REQUIRED}`);
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

const ALL =
  'A guard has the requirements role, ability, verified, emailVerified, acr, maxAge and optional, and no';

test.each([
  [{ roles: 'doctor' }, `${ALL} "roles".`],
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
  [{ max_age: 900 }, `${ALL} "max_age".`],
  [{ acr: 'aal2', constructor: 1 }, `${ALL} "constructor".`],
  [{ ability: '' }, 'The requirement "ability" of a guard must be a text, or a list of texts.'],
  [{ [Symbol('role')]: 'doctor' }, `${ALL} "Symbol(role)".`],
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
