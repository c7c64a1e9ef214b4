import bcrypt from 'bcrypt';
import { Secret, TOTP } from 'otpauth';
import * as graphql from '../../packages/client/src/generated/graphql.ts';
import { newRecoveryCodes } from '../../src/auth/two-factor/recovery-codes.ts';
import { SecretCipher } from '../../src/auth/two-factor/secret-cipher.ts';
import type { StoredAccessToken } from '../../src/stores/access-tokens.ts';
import { newId, type StoredAccount } from '../../src/stores/accounts.ts';
import type { StoredApp, StoredRecoveryCodes } from '../../src/stores/factors.ts';
import type { TestDatabase } from './database.ts';
import { authenticated } from './expectations.ts';
import { execute } from './graphql-api.ts';
import { type HttpResponse, jsonOf, send, sendJson } from './http.ts';
import { aPatient, type Fields } from './people.ts';
import { rememberPassword, rememberToken } from './response-record.ts';
import { restApi } from './rest-api.ts';
import { bearer, tokenWithoutLogin } from './session.ts';
import { testClock } from './test-app.ts';

/** The settings of a gateway with a second factor. */
export const TWO_FACTOR = { TWO_FACTOR_SECRET: 'the-first-line-of-a-secret-of-the-tests' };

/** The texts of a wrong or missing second factor. */
export const TEXTS = {
  required: 'A two factor authentication code is required.',
  wrong: 'The provided two factor authentication code was invalid.',
  wrongRecovery: 'The provided two factor recovery code was invalid.',
  used: 'This code was already used. Wait for the next one.',
  challenge: 'This challenge is invalid or has expired. Log in again.',
  blocked: 'Too many wrong codes. Choose a new password by a reset link.',
  setUp: 'Two factor authentication must be set up before you can log in.',
};

const STEP_MILLIS = 30_000;

/** The code that an authenticator app shows at the time of the tests. @param offset steps before or after it */
export const codeAt = (secretKey: string, offset = 0, now = testClock.now()): string =>
  new TOTP({ secret: Secret.fromBase32(secretKey) }).generate({ timestamp: now + offset * STEP_MILLIS });

/** Lets the time pass until the app shows another code. */
export const nextCode = (): void => testClock.move(STEP_MILLIS);

/** A code that is none of this time. */
export function wrongCode(secretKey: string): string {
  const right = [-1, 0, 1].map((offset) => codeAt(secretKey, offset));
  return ['000000', '111111', '222222', '333333'].find((code) => !right.includes(code)) ?? '444444';
}

/** The operation of the client takes no challenge. */
const REQUEST_VERIFICATION = new graphql.TypedDocumentString<Record<string, unknown>, never>(
  'mutation ($challenge: String) { requestEmailVerification(challenge: $challenge) { message } }',
);

/** The acts around a second factor: their endpoints, and their operations. */
const ACTS = {
  login: ['POST', 'login', graphql.LoginDocument],
  completeLogin: ['POST', 'two-factor-challenge', graphql.CompleteLoginDocument],
  enableTwoFactor: ['POST', 'user/two-factor-authentication', graphql.EnableTwoFactorDocument],
  confirmTwoFactor: ['POST', 'user/confirmed-two-factor-authentication', graphql.ConfirmTwoFactorDocument],
  disableTwoFactor: ['POST', 'user/two-factor-authentication/disable', graphql.DisableTwoFactorDocument],
  renewRecoveryCodes: ['POST', 'user/two-factor-recovery-codes', graphql.RenewRecoveryCodesDocument],
  stepUp: ['POST', 'user/confirm-two-factor', graphql.StepUpDocument],
  myTwoFactor: ['GET', 'user/two-factor-authentication', graphql.MyTwoFactorDocument],
  changePassword: ['PUT', 'password', graphql.ChangePasswordDocument],
  changeEmail: ['PUT', 'user/email', graphql.ChangeEmailDocument],
  requestEmailVerification: ['POST', 'email/verification-notification', REQUEST_VERIFICATION],
} as const satisfies Record<string, readonly [string, string, graphql.TypedDocumentString<unknown, never>]>;

export type Act = keyof typeof ACTS;

/** What an act has answered, in the terms of GraphQL. */
export interface Answer {
  ok: boolean;
  data: Record<string, unknown>;
  message: string;
  /** By camelCase field. */
  errors: Record<string, string[]>;
  /** Of a login that needs more; `isSetUp` if that is to set up a second factor. */
  challenge?: string | undefined;
  methods?: string[] | undefined;
  expiresAt?: string | undefined;
  isSetUp: boolean;
  http: HttpResponse;
}

export type Perform = (act: Act, fields?: Fields, token?: string) => Promise<Answer>;

const snake = (name: string) =>
  name === 'newPassword' ? 'password' : name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const renamed = <T>(fields: Record<string, T>, rename: (name: string) => string) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [rename(name), value]));

/** No log may have them. */
function rememberSecrets({ token, secretKey, recoveryCodes }: Record<string, unknown>, challenge?: string) {
  for (const secret of [token, secretKey, challenge, ...((recoveryCodes as string[] | undefined) ?? [])]) {
    rememberToken(secret as string | undefined);
  }
}

/** The acts by the REST API. @param sent headers of all requests */
export const byRest =
  (url: string, sent: Record<string, string> = {}): Perform =>
  async (act, fields = {}, token) => {
    const [method, path] = ACTS[act];
    const headers = { ...sent, ...(token !== undefined && bearer(token)) };
    const address = `${url}/api/v1/auth/${path}`;
    rememberPassword(fields.password);
    const http =
      method === 'GET'
        ? await send(address, { headers })
        : await sendJson(address, renamed(fields, snake), headers, method);
    const { errors = {}, message = '', ...body } = jsonOf<Record<string, unknown>>(http);
    const isDone = http.status < 300;
    const { challenge, methods, expiresAt, twoFactorSetup, twoFactor, ...rest } = renamed(
      body,
      camel,
    ) as Record<string, unknown> & Partial<Pick<Answer, 'challenge' | 'methods' | 'expiresAt'>>;
    expect([undefined, true]).toContain(twoFactor);
    rememberSecrets(rest, challenge);
    return {
      ...{ ok: isDone, data: isDone ? rest : {}, message: String(message) },
      errors: renamed(errors as Record<string, string[]>, camel),
      ...{ challenge, methods, expiresAt, isSetUp: twoFactorSetup === true, http },
    };
  };

/** The acts by the GraphQL API. @param sent headers of all requests */
export const byGraphql =
  (url: string, sent: Record<string, string> = {}): Perform =>
  async (act, fields = {}, token) => {
    const document = ACTS[act][2] as graphql.TypedDocumentString<Record<string, unknown>, never>;
    rememberPassword(fields.password);
    const variables = act === 'requestEmailVerification' ? fields : { input: fields };
    const headers = { ...sent, ...(token !== undefined && bearer(token)) };
    const { http, body } = await execute(url, document, act === 'myTwoFactor' ? {} : variables, headers);
    const [error] = body.errors ?? [];
    const {
      code,
      errors = {},
      ...more
    } = (error?.extensions ?? {}) as Record<string, unknown> &
      Partial<Pick<Answer, 'challenge' | 'methods' | 'expiresAt'>>;
    const data = (body.data?.[act] ?? {}) as Record<string, unknown>;
    const { challenge, methods, expiresAt } = more;
    rememberSecrets(data, challenge);
    return {
      ...{ ok: error === undefined, data, message: error?.message ?? '' },
      errors: errors as Record<string, string[]>,
      ...{ challenge, methods, expiresAt, isSetUp: code === 'TWO_FACTOR_SETUP_REQUIRED', http },
    };
  };

/** Runs a scenario through both APIs. */
export const throughEach = (scenario: (performAt: typeof byRest) => void): void =>
  describe.each<[string, typeof byRest]>([
    ['REST', byRest],
    ['GraphQL', byGraphql],
  ])('by %s', (_, performAt) => scenario(performAt));

/** Checks that an act was done. @returns what it has answered */
export function done<T extends object = Record<string, never>>({ ok, data, http }: Answer): T {
  if (!ok) {
    throw new Error(`refused: ${http.status} ${http.text}`);
  }
  return data as T;
}

/** What an account has after an enrolment. */
export interface Enrolled {
  secretKey: string;
  recoveryCodes: string[];
  token: string;
}

/** A new patient without a second factor. */
export async function aPerson(url: string, fields: Fields = {}) {
  const patient = aPatient(fields);
  const { account, token } = authenticated(await restApi(url).registerPatient(patient));
  return { ...patient, id: String(account.id), token };
}

/**
 * The same with a proven e-mail, made without a request: no limit has counted it, and no event and no mail know of it.
 * @param account what its record has besides
 */
export async function aStoredPerson(
  { accounts, tokens }: TestDatabase,
  account: Partial<StoredAccount> = {},
) {
  const patient = aPatient();
  const { name, email, password } = patient;
  const [id, now] = [newId(), new Date(testClock.now())];
  await accounts.insertOne({
    ...{ _id: id, name, email, emailKey: email, phone: null, dateOfBirth: null, role: 'patient' },
    ...{ passwordHash: await bcrypt.hash(password, 4), createdAt: now, updatedAt: now, disabledAt: null },
    ...{ emailProof: { emailKey: email, at: now }, ...account },
  });
  const insert = async (token: StoredAccessToken) => void (await tokens.insertOne(token));
  const amr = account.factors ? ['pwd', 'otp', 'mfa'] : ['pwd'];
  const token = await tokenWithoutLogin({ insert }, id, null, 0, amr);
  return { ...patient, id, token };
}

/** The same with an authenticator app, none of whose codes was used. */
export async function aStoredOwner(database: TestDatabase, account: Partial<StoredAccount> = {}) {
  const [app, codes, createdAt, secret] = [newId(), newId(), new Date(testClock.now()), new Secret()];
  const person = await aStoredPerson(database, { ...account, factors: { app, codes } });
  const accountId = person.id;
  const { plain: recoveryCodes, digests } = newRecoveryCodes();
  const cipher = new SecretCipher([TWO_FACTOR.TWO_FACTOR_SECRET]);
  const sealed = cipher.encrypt(new Uint8Array(secret.buffer), { accountId, factorId: app });
  const unused = { lastStep: -1, wrong: 0, wrongSince: null, confirmedAt: createdAt };
  await database.db.collection<StoredApp | StoredRecoveryCodes>('factors').insertMany([
    { _id: app, accountId, kind: 'app', ...sealed, ...unused, createdAt },
    { _id: codes, accountId, kind: 'recovery codes', codes: digests, createdAt },
  ]);
  rememberSecrets({ secretKey: secret.base32, recoveryCodes });
  return { ...person, secretKey: secret.base32, recoveryCodes };
}

/** Adds an authenticator app to an account. Its time moves on, so that the next code is another one. */
export async function enrol(
  url: string,
  { password, token }: { password: string; token?: string },
  /** What replaces an app: its proof. What stands for a token: a challenge. */
  more: { code?: string; recoveryCode?: string; challenge?: string } = {},
): Promise<Enrolled> {
  const act = byRest(url);
  const { challenge } = more;
  const begun = done<{ secretKey: string }>(await act('enableTwoFactor', { password, ...more }, token));
  const fields = { code: codeAt(begun.secretKey), ...(challenge !== undefined && { challenge }) };
  const confirmed = done<Omit<Enrolled, 'secretKey'>>(await act('confirmTwoFactor', fields, token));
  nextCode();
  return { ...begun, ...confirmed };
}

/** A new patient with a second factor. `first` is the token of the registration, which has ended. */
export async function anEnrolledPerson(url: string) {
  const person = await aPerson(url);
  return { ...person, first: person.token, ...(await enrol(url, person)) };
}

export type EnrolledPerson = Awaited<ReturnType<typeof anEnrolledPerson>>;
