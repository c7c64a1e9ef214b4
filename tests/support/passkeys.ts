import * as graphql from '../../packages/client/src/generated/graphql.ts';
import { Authenticator, type Options } from './authenticator.ts';
import { execute } from './graphql-api.ts';
import { type HttpResponse, jsonOf, send, sendJson } from './http.ts';
import type { Fields } from './people.ts';
import { rememberPassword, rememberToken } from './response-record.ts';
import { aPerson } from './second-factor.ts';
import { bearer } from './session.ts';

export const RP_ID = 'example.org';
export const ORIGIN = 'https://example.org';

/** The settings of a gateway with passkeys, and no other second factor. */
export const PASSKEYS = { PASSKEY_RP_ID: RP_ID };

/** The only text of a passkey that was not accepted. */
export const NOT_ACCEPTED = 'This passkey was not accepted.';

/** The acts with passkeys: method, path, operation. */
const ACTS = {
  passkeyLoginOptions: ['GET', 'passkeys/login/options', graphql.PasskeyLoginOptionsDocument],
  loginWithPasskey: ['POST', 'passkeys/login', graphql.LoginWithPasskeyDocument],
  passkeyConfirmOptions: ['GET', 'passkeys/confirm/options', graphql.PasskeyConfirmOptionsDocument],
  stepUp: ['POST', 'passkeys/confirm', graphql.StepUpDocument],
  passkeyAddOptions: ['POST', 'user/passkeys/options', graphql.PasskeyAddOptionsDocument],
  addPasskey: ['POST', 'user/passkeys', graphql.AddPasskeyDocument],
  myPasskeys: ['GET', 'user/passkeys', graphql.MyPasskeysDocument],
  renamePasskey: ['PUT', 'user/passkeys/{id}', graphql.RenamePasskeyDocument],
  removePasskey: ['POST', 'user/passkeys/{id}/remove', graphql.RemovePasskeyDocument],
} as const satisfies Record<string, readonly [string, string, graphql.TypedDocumentString<unknown, never>]>;

export type PasskeyAct = keyof typeof ACTS;

/** A passkey as its owner sees it. */
export interface ShownPasskey {
  id: string;
  credentialId: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
  backedUp: boolean;
}

/** What an act has answered, in the terms of GraphQL. */
export interface PasskeyAnswer {
  ok: boolean;
  data: Record<string, unknown>;
  message: string;
  errors: Record<string, string[]>;
  isUnknown: boolean;
  http: HttpResponse;
}

/** `id` is that of the passkey. */
export type PerformPasskey = (act: PasskeyAct, fields?: Fields, token?: string) => Promise<PasskeyAnswer>;

const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const inCamel = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(inCamel)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([name, one]) => [camel(name), inCamel(one)]))
      : value;

export const passkeysByRest =
  (url: string, sent: Record<string, string> = {}): PerformPasskey =>
  async (act, { id, ...fields } = {}, token) => {
    const [method, path] = ACTS[act];
    const headers = { ...sent, ...(token !== undefined && bearer(token)) };
    rememberPassword(fields.password);
    const address = `${url}/api/v1/auth/${path.replace('{id}', String(id))}`;
    const body = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name === 'recoveryCode' ? 'recovery_code' : name,
        value,
      ]),
    );
    const http =
      method === 'GET' ? await send(address, { headers }) : await sendJson(address, body, headers, method);
    const {
      errors = {},
      message = '',
      unknown_credential,
      options,
      ...rest
    } = jsonOf<Record<string, unknown>>(http);
    const ok = http.status < 300;
    const { passkey, ...shown } = inCamel(rest) as Record<string, unknown>;
    rememberToken(shown.token as string | undefined);
    return {
      ...{
        ok,
        data: ok ? { ...(passkey as object), ...shown, ...(options !== undefined && { options }) } : {},
      },
      ...{ message: String(message), errors: inCamel(errors) as Record<string, string[]>, http },
      isUnknown: unknown_credential === true,
    };
  };

export const passkeysByGraphql =
  (url: string, sent: Record<string, string> = {}): PerformPasskey =>
  async (act, { id, ...fields } = {}, token) => {
    const document = ACTS[act][2] as graphql.TypedDocumentString<Record<string, unknown>, never>;
    const headers = { ...sent, ...(token !== undefined && bearer(token)) };
    rememberPassword(fields.password);
    const isRead = ['passkeyLoginOptions', 'passkeyConfirmOptions', 'myPasskeys'].includes(act);
    const variables = isRead ? {} : { ...(id !== undefined && { id }), input: fields };
    const { http, body } = await execute(url, document, variables, headers);
    const [error] = body.errors ?? [];
    const extensions: { errors?: Record<string, string[]>; unknownCredential?: boolean } =
      error?.extensions ?? {};
    const data = (body.data?.[act] ?? {}) as Record<string, unknown>;
    rememberToken(data.token as string | undefined);
    return {
      ...{ ok: error === undefined, data, message: error?.message ?? '', errors: extensions.errors ?? {} },
      ...{ isUnknown: extensions.unknownCredential === true, http },
    };
  };

/** Runs a scenario through both APIs. */
export const passkeysThroughEach = (scenario: (performAt: typeof passkeysByRest) => void): void =>
  describe.each<[string, typeof passkeysByRest]>([
    ['REST', passkeysByRest],
    ['GraphQL', passkeysByGraphql],
  ])('by %s', (_, performAt) => scenario(performAt));

/** Checks that an act was done. @returns what it has answered */
export function accepted<T = Record<string, unknown>>({ ok, data, http }: PasskeyAnswer): T {
  if (!ok) {
    throw new Error(`refused: ${http.status} ${http.text}`);
  }
  return data as T;
}

export const optionsOf = (answer: PasskeyAnswer): Options & Record<string, unknown> =>
  accepted<{ options: Options & Record<string, unknown> }>(answer).options;

type AuthenticatorSettings = Partial<ConstructorParameters<typeof Authenticator>[0]>;

/** An authenticator of a person who visits the application. */
export const anAuthenticator = (settings: AuthenticatorSettings = {}): Authenticator =>
  new Authenticator({ rpId: RP_ID, origin: ORIGIN, ...settings });

/** Adds a passkey to an account. */
export async function addPasskey(
  url: string,
  { password, token }: { password?: string; token?: string },
  authenticator = anAuthenticator(),
  /** What else proves the owner, or stands for a token. */
  more: Fields = {},
) {
  const act = passkeysByRest(url);
  const { challenge, name, ...proof } = more;
  const setUp = challenge === undefined ? {} : { challenge };
  const options = optionsOf(await act('passkeyAddOptions', { password, ...proof, ...setUp }, token));
  const fields = { credential: authenticator.create(options), ...(name !== undefined && { name }), ...setUp };
  const passkey = accepted<ShownPasskey>(await act('addPasskey', fields, token));
  return { authenticator, passkey };
}

/** A new patient with a passkey. */
export async function aPasskeyOwner(url: string, settings: AuthenticatorSettings = {}) {
  const person = await aPerson(url);
  return { ...person, ...(await addPasskey(url, person, anAuthenticator(settings))) };
}

/** What an authenticator makes of new options of a login. */
export async function loginCredential(url: string, authenticator: Authenticator, otherwise = {}) {
  const options = optionsOf(await passkeysByRest(url)('passkeyLoginOptions'));
  return authenticator.get(options, otherwise);
}

/** What an authenticator makes of new options to confirm a session. */
export async function confirmCredential(
  url: string,
  authenticator: Authenticator,
  token: string,
  otherwise = {},
) {
  const options = optionsOf(await passkeysByRest(url)('passkeyConfirmOptions', {}, token));
  return authenticator.get(options, otherwise);
}
