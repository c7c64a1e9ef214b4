import { freePort } from '../../../tests/support/listen.ts';
import { aPatient } from '../../../tests/support/people.ts';
import { useTestApp } from '../../../tests/support/test-app.ts';
import { type AuthClient, type AuthClientOptions, createAuthClient, type Session } from '../src/index.ts';
import { gatedFetch } from './support/gates.ts';
import { aDoctorWithFiles, dataOf, errorOf, watchedFetch } from './support/results.ts';
import { syncStorage } from './support/storages.ts';

const KEY = 'auth-gateway.token';
const app = useTestApp();
const newClient = (options?: Partial<AuthClientOptions>): AuthClient =>
  createAuthClient({ url: app.url, fetch: watchedFetch, ...options });

async function newPatient() {
  const patient = aPatient();
  const { token, account } = dataOf(await newClient().registerPatient(patient));
  return { patient, token, account };
}

/** Resolves with the first session that is not `loading` without an error. */
const settled = (client: AuthClient): Promise<Session> =>
  new Promise((resolve) => {
    const stop = client.subscribe(() => {
      const { session } = client;
      if (session.status !== 'loading' || session.error) {
        stop();
        resolve(session);
      }
    });
  });

describe('the session', () => {
  test('is anonymous, then that of a login, then anonymous again, without further requests', async () => {
    const { patient, account } = await newPatient();
    let requests = 0;
    const fetch: typeof watchedFetch = (...request) => {
      requests += 1;
      return watchedFetch(...request);
    };
    const seen: Session[] = [];
    const tokens: (string | null)[] = [];
    const client = newClient({ fetch, onTokenChange: (token) => tokens.push(token) });
    expect(client.session).toEqual({ status: 'anonymous' });
    const stop = client.subscribe(() => seen.push(client.session));
    const { token } = dataOf(await client.login(patient));
    expect(client.session).toEqual({ status: 'authenticated', account });
    dataOf(await client.logout());
    expect(seen).toEqual([{ status: 'authenticated', account }, { status: 'anonymous' }]);
    expect(tokens).toEqual([token, null]);
    expect(requests).toBe(2);
    stop();
    dataOf(await client.login(patient));
    expect(seen).toHaveLength(2);
  });

  test('is restored from the storage, and the object stays the same while the account does', async () => {
    const { token, account } = await newPatient();
    const client = newClient({ storage: syncStorage({ [KEY]: token }) });
    expect(client.token).toBe(token);
    expect(client.session).toEqual({ status: 'loading' });
    const session = await settled(client);
    expect(session).toEqual({ status: 'authenticated', account });
    dataOf(await client.me());
    expect(await client.refresh()).toBe(session);
    expect(client.session).toBe(session);
  });

  test('is anonymous after a call with a token that is not valid any more, and the storage is empty', async () => {
    const { token } = await newPatient();
    const storage = syncStorage({ [KEY]: token });
    const client = newClient({ storage });
    dataOf(await newClient({ token }).logout());
    expect(errorOf(await client.tokens.list()).code).toBe('UNAUTHENTICATED');
    expect([client.token, client.session.status, storage.items.size]).toEqual([null, 'anonymous', 0]);
  });

  test('ends when the own token is revoked, or the account is closed', async () => {
    const { patient, token } = await newPatient();
    const client = newClient({ token });
    const own = dataOf(await client.tokens.list()).find(({ current }) => current);
    expect(dataOf(await client.tokens.revoke(own?.id ?? ''))).toBe(true);
    expect(client.session).toEqual({ status: 'anonymous' });
    dataOf(await client.login(patient));
    dataOf(await client.deleteMyAccount(patient));
    expect(client.session).toEqual({ status: 'anonymous' });
  });

  test('keeps the token while the gateway cannot be reached, and is restored by a later refresh', async () => {
    const { token, account } = await newPatient();
    let target = `http://127.0.0.1:${await freePort()}`;
    const fetch: typeof watchedFetch = (_url, init) => watchedFetch(`${target}/graphql`, init);
    const storage = syncStorage({ [KEY]: token });
    const client = newClient({ fetch, storage });
    expect(await settled(client)).toMatchObject({ status: 'loading', error: { code: 'NETWORK_ERROR' } });
    expect([client.token, storage.items.get(KEY)]).toEqual([token, token]);
    target = app.url;
    expect(await client.refresh()).toEqual({ status: 'authenticated', account });
    target = `http://127.0.0.1:${await freePort()}`;
    expect(await client.refresh()).toEqual({ status: 'authenticated', account });
  });

  test('follows a token that the program sets', async () => {
    const { token, account } = await newPatient();
    const client = newClient();
    client.token = token;
    expect(client.session).toEqual({ status: 'loading' });
    expect(await settled(client)).toEqual({ status: 'authenticated', account });
    client.token = null;
    expect(client.session).toEqual({ status: 'anonymous' });
    const again = settled(client);
    client.token = token;
    await again;
    expect(client.session).toEqual({ status: 'authenticated', account });
  });

  test('survives a listener and a callback that throw', async () => {
    const { patient } = await newPatient();
    const thrown: unknown[] = [];
    const catching = (error: unknown) => thrown.push(error);
    const { queueMicrotask } = globalThis;
    globalThis.queueMicrotask = (act) => {
      try {
        act();
      } catch (error) {
        catching(error);
      }
    };
    try {
      const failing = () => {
        throw new Error('of the program');
      };
      const client = newClient({ onTokenChange: failing });
      client.subscribe(failing);
      let calls = 0;
      client.subscribe(() => {
        calls += 1;
      });
      dataOf(await client.login(patient));
      expect([calls, thrown.length, client.session.status]).toEqual([1, 2, 'authenticated']);
    } finally {
      globalThis.queueMicrotask = queueMicrotask;
    }
  });
});

describe('answers that arrive late', () => {
  test('an account that was asked for before a logout does not bring the session back', async () => {
    const { token } = await newPatient();
    const { fetch, hold } = gatedFetch();
    const client = newClient({ token, fetch });
    const me = await hold(() => client.me());
    dataOf(await client.logout());
    dataOf(await me());
    expect([client.token, client.session]).toEqual([null, { status: 'anonymous' }]);
  });

  test('a refusal of the old token does not end the session of a new login', async () => {
    const { patient, token, account } = await newPatient();
    const { fetch, hold } = gatedFetch();
    dataOf(await newClient({ token }).logout());
    const storage = syncStorage({ [KEY]: token });
    const client = newClient({ fetch, storage });
    const list = await hold(() => client.tokens.list());
    const login = dataOf(await client.login(patient));
    expect(errorOf(await list()).code).toBe('UNAUTHENTICATED');
    expect(client.token).toBe(login.token);
    expect(client.session).toEqual({ status: 'authenticated', account });
    expect(storage.items.get(KEY)).toBe(login.token);
  });

  test('the account of the old token does not replace that of a new login', async () => {
    const [first, second] = [await newPatient(), await newPatient()];
    const { fetch, hold } = gatedFetch();
    const client = newClient({ token: first.token, fetch });
    const refreshed = await hold(() => client.refresh());
    dataOf(await client.login(second.patient));
    const session = { status: 'authenticated', account: second.account };
    expect(await refreshed()).toEqual(session);
    expect(client.session).toEqual(session);
  });

  test('a logout of the old token does not end the session of a new login', async () => {
    const { patient, token } = await newPatient();
    const { fetch, hold } = gatedFetch();
    const client = newClient({ token, fetch });
    const logout = await hold(() => client.logout());
    const login = dataOf(await client.login(patient));
    dataOf(await logout());
    expect([client.token, client.session.status]).toEqual([login.token, 'authenticated']);
  });
});

test('a doctor’s session has the fields of an account after a registration, and restored', async () => {
  const client = newClient();
  const { account } = dataOf(await client.registerDoctor(aDoctorWithFiles()));
  expect(client.session).toEqual({ status: 'authenticated', account });
  const restored = newClient({ token: client.token });
  expect(await restored.refresh()).toEqual(client.session);
});
