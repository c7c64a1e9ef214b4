import { type Endpoint, endpointOf } from './endpoint.ts';
import { isReactNative } from './platform.ts';
import type { AuthClientOptions } from './types.ts';

const EXAMPLE = "Example: createAuthClient({ url: 'https://auth.example.org' })";

type Rules = {
  [Name in Exclude<keyof AuthClientOptions, 'url'>]-?: [test: (value: unknown) => boolean, must: string];
};

const isToken = (value: unknown): boolean => value === null || typeof value === 'string';
const isFunction = (value: unknown): boolean => typeof value === 'function';
const isStorage = (value: unknown): boolean =>
  value === 'memory' ||
  value === 'localStorage' ||
  (typeof value === 'object' &&
    value !== null &&
    ['getItem', 'setItem', 'removeItem'].every((name) => isFunction(Reflect.get(value, name))));

/** What an option must be, if it is there. */
const RULES: Rules = {
  token: [isToken, 'a string or null'],
  storage: [isStorage, '"memory", "localStorage", or an object with getItem, setItem and removeItem'],
  storageKey: [(value) => typeof value === 'string' && value !== '', 'a string that is not empty'],
  onTokenChange: [isFunction, 'a function'],
  fetch: [isFunction, 'a function like the platform’s fetch'],
  session: [(value) => value === 'token' || value === 'cookie', '"token" or "cookie"'],
  timeoutMillis: [(value) => typeof value === 'number' && value > 0, 'a number of milliseconds above 0'],
};

/** Options about a token that the program has. */
const OF_TOKENS = ['token', 'storage', 'storageKey', 'onTokenChange'];

/**
 * Checks the options of a client.
 * @param options of any type: JavaScript callers may pass nothing at all
 * @returns the gateway's address
 * @throws TypeError that names all problems. It quotes no value: one may be a token or contain a password
 */
export function checkOptions(options: unknown): Endpoint {
  const given = options ?? {};
  if (typeof given !== 'object') {
    throw new TypeError(`createAuthClient needs an object with options. ${EXAMPLE}`);
  }
  const isCookie = Reflect.get(given, 'session') === 'cookie';
  const endpoint = endpointOf(Reflect.get(given, 'url'), isCookie ? '' : '/graphql');
  const problems = 'problem' in endpoint ? [endpoint.problem] : [];
  for (const [name, [test, must]] of Object.entries(RULES)) {
    const value: unknown = Reflect.get(given, name);
    if (value !== undefined && !test(value)) {
      problems.push(`The option "${name}" must be ${must}.`);
    }
  }
  const useless = OF_TOKENS.filter((name) => isCookie && Reflect.get(given, name) !== undefined);
  if (useless.length > 0) {
    problems.push(`With session "cookie" there is no token here: leave out ${useless.join(', ')}.`);
  }
  if (Reflect.get(given, 'storage') === 'localStorage' && isReactNative()) {
    problems.push('React Native has no localStorage: the option "storage" takes AsyncStorage as it is.');
  }
  if ('problem' in endpoint || problems.length > 0) {
    throw new TypeError([...problems, ...strangers(given), EXAMPLE].join(' '));
  }
  return endpoint;
}

/**
 * @throws TypeError if a JavaScript program sets something else as the token, such as the whole answer of a login; or if the token is
 *   in a cookie
 */
export function checkToken(token: unknown, isCookie: boolean): void {
  if (isCookie) {
    throw new TypeError('With session "cookie" only the web server has the token.');
  }
  if (token !== undefined && !isToken(token)) {
    throw new TypeError('The token of a client must be a string or null.');
  }
}

/** Options that do not exist. Alone they are no problem, but one of them may be the missing one under another name. */
function strangers(given: object): string[] {
  const names = Object.keys(given).filter((name) => name !== 'url' && !(name in RULES));
  return names.length > 0
    ? [`There is no option ${names.map((name) => JSON.stringify(name)).join(', ')}.`]
    : [];
}
