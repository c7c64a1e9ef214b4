import type { Authenticator, Options } from '../../../tests/support/authenticator.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import { anAuthenticator, PASSKEYS } from '../../../tests/support/passkeys.ts';
import { aPerson } from '../../../tests/support/second-factor.ts';
import { useTestApp } from '../../../tests/support/test-app.ts';
import { type AuthClient, createAuthClient } from '../src/index.ts';
import { dataOf, errorOf, watchedFetch } from './support/results.ts';

const app = useTestApp(PASSKEYS);

/** What a device was told. */
type Told = Record<string, unknown> & { signal: string };

interface FakeBrowser {
  told: Told[];
  /** How the next ceremony ends; by default the authenticator answers. */
  next?: (signal: AbortSignal) => Promise<unknown>;
}

/** A browser with an authenticator. The options come through its parsers, as in a real one. */
function browserWith(authenticator: Authenticator): FakeBrowser {
  const browser: FakeBrowser = { told: [] };
  const tell = (signal: string) => async (facts: object) => void browser.told.push({ signal, ...facts });
  const run = async (made: () => object, signal: AbortSignal) => {
    signal.throwIfAborted();
    const { next } = browser;
    delete browser.next;
    return next ? next(signal) : { toJSON: made };
  };
  class PublicKeyCredential {
    static parseCreationOptionsFromJSON = (options: object) => options;
    static parseRequestOptionsFromJSON = (options: object) => options;
    static isConditionalMediationAvailable = async () => true;
    static signalUnknownCredential = tell('unknown');
    static signalAllAcceptedCredentials = tell('accepted');
    static signalCurrentUserDetails = tell('details');
    toJSON() {}
  }
  const credentials = {
    create: ({ publicKey, signal }: { publicKey: Options; signal: AbortSignal }) =>
      run(() => authenticator.create(publicKey), signal),
    get: ({ publicKey, signal }: { publicKey: Options; signal: AbortSignal }) =>
      run(() => authenticator.get(publicKey), signal),
  };
  Object.assign(globalThis, { PublicKeyCredential });
  Object.defineProperty(globalThis, 'navigator', { value: { credentials }, configurable: true });
  return browser;
}

/** Lets the next ceremony wait until it is aborted. Resolves when it waits. */
const nextWaits = (browser: FakeBrowser) =>
  new Promise<void>((begun) => {
    browser.next = (signal) =>
      new Promise((_, reject) => {
        const aborted = () => reject(Object.assign(new Error('aborted'), { name: 'AbortError' }));
        signal.addEventListener('abort', aborted);
        begun();
      });
  });

const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
afterEach(() => {
  Reflect.deleteProperty(globalThis, 'PublicKeyCredential');
  Reflect.deleteProperty(globalThis, 'navigator');
  if (before) {
    Object.defineProperty(globalThis, 'navigator', before);
  }
});

const newClient = (token?: string): AuthClient =>
  createAuthClient({ url: app.url, fetch: watchedFetch, token });

test('without a browser there are no passkeys, and nothing is thrown', async () => {
  const { token, password } = await aPerson(app.url);
  const { passkeys } = newClient(token);
  expect([passkeys.isSupported(), await passkeys.canAutofill()]).toEqual([false, false]);
  for (const result of [await passkeys.login(), await passkeys.add({ password })]) {
    expect(errorOf(result).code).toBe('PASSKEYS_UNAVAILABLE');
  }
});

test('a passkey is added, used, renamed and removed, and the device is told', async () => {
  const person = await aPerson(app.url);
  const authenticator = anAuthenticator();
  const browser = browserWith(authenticator);
  const client = newClient(person.token);
  await client.refresh();
  expect(client.passkeys.isSupported()).toBe(true);
  const { id, name } = dataOf(await client.passkeys.add({ password: person.password, name: 'Key' }));
  expect(name).toBe('Key');
  const { credentialId } = authenticator;
  const accepted = { signal: 'accepted', rpId: 'example.org', allAcceptedCredentialIds: [credentialId] };
  const details = { signal: 'details', name: person.email, displayName: person.name };
  const settled = (times: number) =>
    eventually(() => expect(browser.told.length).toBeGreaterThanOrEqual(times));
  await settled(2);
  expect(browser.told).toMatchObject([accepted, details]);
  expect(browser.told[0]?.userId).toBe(authenticator.userHandle);

  await client.logout();
  const { account } = dataOf(await client.passkeys.login());
  expect([account.id, client.session.status]).toEqual([person.id, 'authenticated']);
  await settled(4);
  expect(dataOf(await client.passkeys.rename(id, 'Tablet')).name).toBe('Tablet');
  const credential = dataOf(await client.passkeys.confirm());
  dataOf(await client.stepUp({ credential }));
  dataOf(await client.updateMyProfile({ name: 'An Other' }));
  await settled(6);
  expect(browser.told.at(-1)).toMatchObject({ signal: 'details', displayName: 'An Other' });
  dataOf(await client.passkeys.remove(id, { password: person.password }));
  await settled(8);
  expect(browser.told.at(-2)).toMatchObject({ signal: 'accepted', allAcceptedCredentialIds: [] });
  const gone = errorOf(await client.passkeys.login());
  expect(gone).toMatchObject({ code: 'BAD_USER_INPUT', unknownCredential: true });
  expect(browser.told.at(-1)).toEqual({ signal: 'unknown', rpId: 'example.org', credentialId });
});

test('a person who cancels has not failed, and each kind of refusal has its code', async () => {
  const { token, password } = await aPerson(app.url);
  const browser = browserWith(anAuthenticator());
  const { passkeys } = newClient(token);
  const failing = (name: string) => {
    browser.next = () => Promise.reject(Object.assign(new Error('no'), { name }));
  };
  for (const [name, code] of [
    ['NotAllowedError', 'CANCELLED'],
    ['AbortError', 'CANCELLED'],
    ['InvalidStateError', 'PASSKEY_EXISTS'],
    ['SecurityError', 'PASSKEYS_UNAVAILABLE'],
  ] as const) {
    failing(name);
    expect(errorOf(await passkeys.add({ password })).code).toBe(code);
  }
  expect(errorOf(await passkeys.add({ password: 'wrong' }))).toMatchObject({ code: 'BAD_USER_INPUT' });
});

test('a dialog ends what waits in autofill, and so does its signal', async () => {
  const person = await aPerson(app.url);
  const authenticator = anAuthenticator();
  const browser = browserWith(authenticator);
  const client = newClient(person.token);
  dataOf(await client.passkeys.add({ password: person.password }));
  const other = newClient();
  const begin = (signal?: AbortSignal) => {
    const isWaiting = nextWaits(browser);
    return { result: other.passkeys.autofill({ signal }), isWaiting };
  };
  const first = begin();
  await first.isWaiting;
  dataOf(await other.passkeys.login());
  expect(errorOf(await first.result).code).toBe('CANCELLED');
  const left = new AbortController();
  const second = begin(left.signal);
  await second.isWaiting;
  left.abort();
  expect(errorOf(await second.result).code).toBe('CANCELLED');
  expect(errorOf(await other.passkeys.autofill({ signal: left.signal })).code).toBe('CANCELLED');
});

test('autofill gets a new challenge before the old one ends', async () => {
  const person = await aPerson(app.url);
  const authenticator = anAuthenticator();
  const browser = browserWith(authenticator);
  dataOf(await newClient(person.token).passkeys.add({ password: person.password }));
  const { setTimeout } = globalThis;
  let renew = () => {};
  const watched = (run: () => void, millis?: number) => {
    renew = millis === 540_000 ? run : renew;
    return setTimeout(run, millis);
  };
  globalThis.setTimeout = watched as typeof setTimeout;
  try {
    const isWaiting = nextWaits(browser);
    const result = newClient().passkeys.autofill();
    await isWaiting;
    // The second one is answered at once.
    renew();
    expect(dataOf(await result).account.id).toBe(person.id);
  } finally {
    globalThis.setTimeout = setTimeout;
  }
});
