import { createHash } from 'node:crypto';
import { type Exchange, isDocumented, problemsOf } from './openapi-conformance.ts';

/** Every response of this test file, as text: headers and body. Filled by http.ts and raw-http.ts, read by watch-responses.ts. */
const responses: string[] = [];
/** Those of them that schema/openapi.yaml speaks of, until they are compared with it. */
let exchanges: Exchange[] = [];
/** Every password that this test file has sent. */
const passwords = new Set<string>();
/** Every access token that it was given or has made, whole. */
const tokens = new Set<string>();

/** Shorter ones (a blank, "a") may well occur in a response without being leaked. */
const SHORTEST_TELLING_CHARACTERS = 6;

/** Remembers what a service has answered. */
export function recordResponse(exchange: Exchange): void {
  const { headers, text } = exchange;
  responses.push(`${[...headers].map((header) => header.join(': ')).join('\n')}\n\n${text}`);
  for (const [, token] of text.matchAll(/"token":"([^"\\]+)"/g)) {
    rememberToken(token);
  }
  // A copy: a test may go on to alter what it was given.
  if (isDocumented(exchange)) {
    exchanges.push({ ...exchange, headers: new Headers(headers) });
  }
}

/** What is not as documented in the responses since the last call. */
export function takeUndocumented(): string[] {
  const problems = exchanges.flatMap(problemsOf);
  exchanges = [];
  return problems;
}

/** @throws when a response of the REST door or of the storage is not as schema/openapi.yaml says */
export const expectDocumented = (): void => expect(takeUndocumented()).toEqual([]);

/** Remembers a password, so that no response may contain it. Whatever is not a text is not one. */
export function rememberPassword(password: unknown): void {
  if (typeof password !== 'string' || password.trim().length < SHORTEST_TELLING_CHARACTERS) {
    return;
  }
  passwords.add(password);
  // As JSON would spell it.
  passwords.add(JSON.stringify(password).slice(1, -1));
}

/** Remembers an access token, so that no log may contain it. */
export function rememberToken(token: string | undefined): void {
  if (token !== undefined) {
    tokens.add(token);
  }
}

/** What is secret about a token: the part behind the id, and what is stored of it. */
const secretsOf = (token: string): string[] => {
  const secret = token.slice(token.indexOf('|') + 1);
  return [secret, createHash('sha256').update(secret).digest('hex')];
};

/**
 * Searches the whole log of a service that this test file has used.
 * @throws when it contains a password that was sent, a token that was issued, or a hash of either
 */
export function expectNoSecretsIn(log: string): void {
  const secrets = [...passwords, ...[...tokens].flatMap(secretsOf)];
  const leaked = secrets.filter((secret) => log.includes(secret));
  const lines = log.split('\n').filter((line) => leaked.some((secret) => line.includes(secret)));
  expect([...lines, ...(log.match(/\$2[abxy]\$\d\d\$.*/g) ?? [])]).toEqual([]);
}

const HASHES: readonly RegExp[] = [
  // bcrypt
  /\$2[abxy]\$\d\d\$/,
  // SHA-256 in hex: what is stored of a token
  /\b[0-9a-f]{64}\b/,
  // The names of the stored fields, with whatever value
  /"(?:passwordHash|secretHash|__v)"/,
];

/** @throws when a response contains a password or a hash */
export function expectNothingLeaked(): void {
  // Plain comparisons: there are hundreds of both, and an `expect` for each pair would take longer than the tests.
  const leaks = responses.filter(
    (response) =>
      HASHES.some((hash) => hash.test(response)) ||
      [...passwords].some((password) => response.includes(password)),
  );
  expect(leaks).toEqual([]);
}
