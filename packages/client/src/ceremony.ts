import { failed, type Result } from './results.ts';

/** JSON forms of WebAuthn Level 3, as the gateway sends and takes them. */
export type PasskeyJson = Record<string, unknown>;

/** What browsers have of WebAuthn Level 3. Some of it is newer than the types of TypeScript. */
interface PasskeyBrowser {
  parseCreationOptionsFromJSON?: (options: PasskeyJson) => unknown;
  parseRequestOptionsFromJSON?: (options: PasskeyJson) => unknown;
  isConditionalMediationAvailable?: () => Promise<boolean>;
  signalUnknownCredential?: (signal: object) => Promise<void>;
  signalAllAcceptedCredentials?: (signal: object) => Promise<void>;
  signalCurrentUserDetails?: (signal: object) => Promise<void>;
  prototype?: { toJSON?: unknown };
}

type Made = { toJSON(): PasskeyJson } | null;

interface Credentials {
  create(options: object): Promise<Made>;
  get(options: object): Promise<Made>;
}

/** Other programs than browsers have none of these. */
const page = globalThis as unknown as {
  PublicKeyCredential?: PasskeyBrowser;
  navigator?: { credentials?: Credentials };
};
const browser = (): PasskeyBrowser | undefined => page.PublicKeyCredential;
const credentials = (): Credentials | undefined => page.navigator?.credentials;

/** True if this browser has all that passkeys need here. It says nothing of the device. */
export const isSupported = (): boolean => {
  const { parseCreationOptionsFromJSON, parseRequestOptionsFromJSON, prototype } = browser() ?? {};
  const has = [parseCreationOptionsFromJSON, parseRequestOptionsFromJSON, prototype?.toJSON];
  return has.every((one) => typeof one === 'function') && credentials() !== undefined;
};

/** True if the browser offers passkeys among the suggestions of a field with `autocomplete="username webauthn"`. */
export const canAutofill = async (): Promise<boolean> =>
  isSupported() &&
  ((await browser()
    ?.isConditionalMediationAvailable?.()
    .catch(() => false)) ??
    false);

/** A browser runs one ceremony of a page at a time. */
let current: AbortController | undefined;

/** Takes the place of a ceremony that waits. */
function begin(signal: AbortSignal | undefined): AbortController {
  current?.abort();
  const controller = new AbortController();
  current = controller;
  signal?.addEventListener('abort', () => controller.abort(), { once: true });
  return controller;
}

/** Makes a passkey. @returns its JSON form */
export const create = (options: PasskeyJson, signal?: AbortSignal): Promise<Result<PasskeyJson>> =>
  ceremony(async (aborted) => {
    const publicKey = browser()?.parseCreationOptionsFromJSON?.(options);
    return credentials()?.create({ publicKey, signal: aborted });
  }, signal);

/** Uses a passkey. @param isAutofill true to wait among the suggestions of a field @returns its JSON form */
export const get = (
  options: PasskeyJson,
  isAutofill: boolean,
  signal?: AbortSignal,
): Promise<Result<PasskeyJson>> =>
  ceremony(async (aborted) => {
    const publicKey = browser()?.parseRequestOptionsFromJSON?.(options);
    const mediation = isAutofill ? ({ mediation: 'conditional' } as const) : {};
    return credentials()?.get({ publicKey, signal: aborted, ...mediation });
  }, signal);

async function ceremony(
  run: (signal: AbortSignal) => Promise<Made | undefined>,
  signal: AbortSignal | undefined,
): Promise<Result<PasskeyJson>> {
  if (!isSupported()) {
    return failed({ code: 'PASSKEYS_UNAVAILABLE', message: 'This browser has no passkeys.' });
  }
  if (signal?.aborted) {
    return CANCELLED;
  }
  const controller = begin(signal);
  try {
    const made = await run(controller.signal);
    return made ? { ok: true, data: made.toJSON() } : CANCELLED;
  } catch (error) {
    return refusal((error as { name?: unknown } | null)?.name);
  } finally {
    if (current === controller) {
      current = undefined;
    }
  }
}

const CANCELLED = failed({ code: 'CANCELLED', message: 'No passkey was used.' });

/** Browsers say by one name that a person has cancelled, that the time is over, and that there is no passkey. */
function refusal(name: unknown): Result<PasskeyJson> {
  if (name === 'InvalidStateError') {
    return failed({ code: 'PASSKEY_EXISTS', message: 'This device has a passkey of the account already.' });
  }
  return name === 'NotAllowedError' || name === 'AbortError'
    ? CANCELLED
    : failed({ code: 'PASSKEYS_UNAVAILABLE', message: 'Passkeys cannot be used on this page.' });
}

/** Tells the devices something, if the browser can. It never fails. */
export async function signal(
  name: 'signalUnknownCredential' | 'signalAllAcceptedCredentials' | 'signalCurrentUserDetails',
  facts: object,
): Promise<void> {
  await browser()
    ?.[name]?.(facts)
    .catch(() => {});
}

/** True if the browser can tell devices who the person is. */
export const canSignal = (): boolean => typeof browser()?.signalCurrentUserDetails === 'function';
