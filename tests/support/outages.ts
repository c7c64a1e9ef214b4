import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { MeDocument } from '../../packages/client/src/generated/graphql.ts';
import { authenticated } from './expectations.ts';
import { execute, graphqlDoor } from './graphql-door.ts';
import type { HttpResponse } from './http.ts';
import { aDoctor, aPatient } from './people.ts';
import { restDoor } from './rest-door.ts';
import { withRetries } from './retries.ts';
import { accountOf, bearer } from './session.ts';

/** Design section 1: within this the caller knows that the database is away, and within this the service is back. */
export const PROMISED_MILLIS = 2_000;

/** Counts attempts, so that logins take all the steps that they can, and refuses none. */
export const COUNTING: Record<string, string> = {
  RATE_LIMIT: 'on',
  RATE_LIMIT_LOGINS_PER_MINUTE: '100000',
  RATE_LIMIT_ADDRESS_LOGINS_PER_MINUTE: '100000',
  RATE_LIMIT_EMAIL_LOGINS_PER_MINUTE: '100000',
  RATE_LIMIT_REGISTRATIONS_PER_MINUTE: '100000',
};

type Patient = ReturnType<typeof aPatient>;

/** Somebody who is registered and logged in. */
export interface Member {
  patient: Patient;
  token: string;
}

/** Registers somebody at the app at a URL. */
export async function aMember(url: string): Promise<Member> {
  return withRetries(async () => {
    const patient = aPatient();
    const { token } = authenticated(await restDoor(url).registerPatient(patient));
    return { patient, token };
  });
}

/** One call of every kind that needs the database, at both doors. */
export const everyCall = (url: string, { patient, token }: Member): (() => Promise<HttpResponse>)[] => [
  ...[restDoor(url), graphqlDoor(url)].flatMap((door) => [
    async () => (await door.login(patient)).http,
    async () => (await door.logout(`Bearer ${token}`)).http,
    async () => (await door.registerPatient(aPatient())).http,
    async () => (await door.registerDoctor(aDoctor())).http,
  ]),
  async () => (await execute(url, MeDocument, {}, bearer(token))).http,
];

/** Checks that the service is not available for now, as design section 1 has it. */
export function expectUnavailable({ status, headers, text }: HttpResponse): void {
  expect({ status, text }).toEqual({ status: 503, text: expect.stringContaining('Service Unavailable') });
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
}

/** What came of a call, and how long it took. */
export async function timed<T>(call: () => Promise<T>): Promise<{ answer: T; millis: number }> {
  const start = performance.now();
  const answer = await call();
  return { answer, millis: performance.now() - start };
}

const PAUSE_MILLIS = 50;

/** How long it takes until a member is known again, asking every 50 ms. */
export async function recoveryMillis(url: string, { token }: Member): Promise<number> {
  const start = performance.now();
  let recovered: number | undefined;
  const ask = async () => {
    const isKnown = (await accountOf(url, token).catch(() => undefined)) !== undefined;
    if (isKnown) recovered ??= performance.now() - start;
  };
  // Not one after the other: each may itself wait for the database.
  const asked: Promise<void>[] = [];
  while (recovered === undefined) {
    asked.push(ask());
    await wait(PAUSE_MILLIS);
  }
  await Promise.all(asked);
  return recovered;
}
