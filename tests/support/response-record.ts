import { createHash } from 'node:crypto';
import { type Exchange, isDocumented, problemsOf } from './openapi-conformance.ts';

/** Every response of this test file, as text: headers and body. Filled by http.ts and raw-http.ts, read by watch-responses.ts. */
const responses: string[] = [];
/** The responses that schema/openapi.yaml describes and that are not compared with it yet. */
let exchanges: Exchange[] = [];
/** Every password that this test file has sent. */
const passwords = new Set<string>();
/** Every access token that it was given or has made, in plain text. */
const tokens = new Set<string>();

/** Shorter passwords (a blank, "a") may be in a response by chance. */
const MIN_SECRET_CHARACTERS = 6;

/** Records a response of a service. */
export function recordResponse(exchange: Exchange): void {
  const { headers, text } = exchange;
  responses.push(`${[...headers].map((header) => header.join(': ')).join('\n')}\n\n${text}`);
  for (const [, token] of text.matchAll(/"token":"([^"\\]+)"/g)) {
    rememberToken(token);
  }
  // A copy, because a test may change the original.
  if (isDocumented(exchange)) {
    exchanges.push({ ...exchange, headers: new Headers(headers) });
  }
}

/** The deviations from the documentation in the responses since the last call. */
export function takeUndocumented(): string[] {
  const problems = exchanges.flatMap(problemsOf);
  exchanges = [];
  return problems;
}

/** @throws if a response of the REST API or of the storage differs from schema/openapi.yaml */
export const expectDocumented = (): void => expect(takeUndocumented()).toEqual([]);

/** Records a password, so that no response may contain it. A value of another type is ignored. */
export function rememberPassword(password: unknown): void {
  if (typeof password !== 'string' || password.trim().length < MIN_SECRET_CHARACTERS) {
    return;
  }
  passwords.add(password);
  // In the spelling of JSON.
  passwords.add(JSON.stringify(password).slice(1, -1));
}

/** Records an access token, so that no log may contain it. */
export function rememberToken(token: string | undefined): void {
  if (token !== undefined) {
    tokens.add(token);
  }
}

/** The secrets of a token: the part after the id, and its stored hash. */
const secretsOf = (token: string): string[] => {
  const secret = token.slice(token.indexOf('|') + 1);
  return [secret, createHash('sha256').update(secret).digest('hex')];
};

/**
 * Searches the whole log of a service that this test file has used.
 * @throws if it contains a password that was sent, a token that was issued, or a hash of either
 */
export function expectNoSecretsIn(log: string): void {
  const secrets = [...passwords, ...[...tokens].flatMap(secretsOf)];
  const leaked = secrets.filter((secret) => log.includes(secret));
  const lines = log.split('\n').filter((line) => leaked.some((secret) => line.includes(secret)));
  expect([...lines, ...(log.match(/\$(2[abxy]\$\d\d|argon2i?d?)\$.*/g) ?? [])]).toEqual([]);
}

const HASHES: readonly RegExp[] = [
  // bcrypt
  /\$2[abxy]\$\d\d\$/,
  /\$argon2i?d?\$/,
  // SHA-256 in hex: the stored form of a token
  /\b[0-9a-f]{64}\b/,
  // The names of the stored fields, with any value
  /"(?:passwordHash|secretHash|__v)"/,
];

/** @throws if a response contains a password or a hash */
export function expectNothingLeaked(): void {
  // Plain comparisons: there are hundreds of both, and an `expect` for each pair would take longer than the tests.
  const leaks = responses.filter(
    (response) =>
      HASHES.some((hash) => hash.test(response)) ||
      [...passwords].some((password) => response.includes(password)),
  );
  expect(leaks).toEqual([]);
}
