import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { MeDocument } from '../../packages/client/src/generated/graphql.ts';
import { authenticated } from './expectations.ts';
import { execute, graphqlApi } from './graphql-api.ts';
import type { HttpResponse } from './http.ts';
import { aDoctor, aPatient } from './people.ts';
import { restApi } from './rest-api.ts';
import { withRetries } from './retries.ts';
import { accountOf, bearer } from './session.ts';

/** A caller gets its 503 within this time, and the service recovers within this time (docs/contract.md, "Unavailable"). */
export const PROMISED_MILLIS = 2_000;

/** Counts attempts, so that logins take all their steps, and refuses none. */
export const COUNTING: Record<string, string> = {
  RATE_LIMIT: 'on',
  RATE_LIMIT_LOGINS_PER_MINUTE: '100000',
  RATE_LIMIT_ADDRESS_LOGINS_PER_MINUTE: '100000',
  RATE_LIMIT_EMAIL_LOGINS_PER_MINUTE: '100000',
  RATE_LIMIT_REGISTRATIONS_PER_MINUTE: '100000',
};

type Patient = ReturnType<typeof aPatient>;

/** A person with an account and a token. */
export interface Member {
  patient: Patient;
  token: string;
}

/** Registers a person at the app with this URL. */
export async function aMember(url: string): Promise<Member> {
  return withRetries(async () => {
    const patient = aPatient();
    const { token } = authenticated(await restApi(url).registerPatient(patient));
    return { patient, token };
  });
}

/** Every kind of call that needs the database, through both APIs. */
export const everyCall = (url: string, { patient, token }: Member): (() => Promise<HttpResponse>)[] => [
  ...[restApi(url), graphqlApi(url)].flatMap((api) => [
    async () => (await api.login(patient)).http,
    async () => (await api.logout(`Bearer ${token}`)).http,
    async () => (await api.registerPatient(aPatient())).http,
    async () => (await api.registerDoctor(aDoctor())).http,
  ]),
  async () => (await execute(url, MeDocument, {}, bearer(token))).http,
];

/** Checks for a 503 with `Retry-After` (docs/contract.md, "Unavailable"). */
export function expectUnavailable({ status, headers, text }: HttpResponse): void {
  expect({ status, text }).toEqual({ status: 503, text: expect.stringContaining('Service Unavailable') });
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
}

/** Returns the answer to a call and its duration. */
export async function timed<T>(call: () => Promise<T>): Promise<{ answer: T; millis: number }> {
  const start = performance.now();
  const answer = await call();
  return { answer, millis: performance.now() - start };
}

const PAUSE_MILLIS = 50;

/** Measures the time until the service knows a member again, with a request every 50 ms. */
export async function recoveryMillis(url: string, { token }: Member): Promise<number> {
  const start = performance.now();
  let recovered: number | undefined;
  const ask = async () => {
    const isKnown = (await accountOf(url, token).catch(() => undefined)) !== undefined;
    if (isKnown) {
      recovered ??= performance.now() - start;
    }
  };
  // Each request may itself wait for the database, so they overlap.
  const asked: Promise<void>[] = [];
  while (recovered === undefined) {
    asked.push(ask());
    await wait(PAUSE_MILLIS);
  }
  await Promise.all(asked);
  return recovered;
}
