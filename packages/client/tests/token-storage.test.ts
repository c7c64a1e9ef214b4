import { jest } from '@jest/globals';
import { aPatient } from '../../../tests/support/people.ts';
import { useTestApp } from '../../../tests/support/test-app.ts';
import { type AuthClient, type AuthClientOptions, createAuthClient } from '../src/index.ts';
import { dataOf, watchedFetch } from './support/results.ts';
import { fakeWindow, slowStorage, syncStorage } from './support/storages.ts';

const KEY = 'auth-gateway.token';
const app = useTestApp();
const newClient = (options?: Partial<AuthClientOptions>): AuthClient =>
  createAuthClient({ url: app.url, fetch: watchedFetch, ...options });

function raise(message: string): never {
  throw new Error(message);
}

async function newPatient() {
  const patient = aPatient();
  return { patient, ...dataOf(await newClient().registerPatient(patient)) };
}

describe('a storage', () => {
  test('has the token after a login, under its key, and loses it at the logout', async () => {
    const { patient } = await newPatient();
    const storage = syncStorage();
    const client = newClient({ storage, storageKey: 'my-token' });
    const { token } = dataOf(await client.login(patient));
    expect([...storage.items]).toEqual([['my-token', token]]);
    dataOf(await client.logout());
    expect(storage.items.size).toBe(0);
  });

  test('gets the token of the options in place of its own', () => {
    const storage = syncStorage({ [KEY]: '1|old' });
    expect(newClient({ storage, token: '2|new' }).token).toBe('2|new');
    expect(storage.items.get(KEY)).toBe('2|new');
  });

  test.each([[undefined], [42], [{}], [''], [['1|x']]])('that holds %p has no token', (value) => {
    const client = newClient({ storage: { ...syncStorage(), getItem: () => value as string } });
    expect([client.token, client.session]).toEqual([null, { status: 'anonymous' }]);
  });

  test.each([
    ['throws', () => raise('no storage in private mode')],
    ['rejects', () => Promise.reject(new Error('broken'))],
  ])('that %s does not disturb: the token stays in memory', async (_, failing) => {
    const { patient } = await newPatient();
    const client = newClient({ storage: { getItem: failing, setItem: failing, removeItem: failing } });
    await client.ready;
    expect(client.session).toEqual({ status: 'anonymous' });
    const { token } = dataOf(await client.login(patient));
    expect([client.token, client.session.status]).toEqual([token, 'authenticated']);
    dataOf(await client.logout());
    expect(client.token).toBeNull();
  });

  test('that is full loses the token of the earlier session', async () => {
    const [first, second] = [await newPatient(), await newPatient()];
    for (const setItem of [() => raise('QuotaExceededError'), () => Promise.reject(new Error('full'))]) {
      const storage = { ...syncStorage({ [KEY]: first.token }), setItem };
      dataOf(await newClient({ storage }).login(second.patient));
      expect(storage.items.size).toBe(0);
    }
  });
});

describe('an asynchronous storage', () => {
  test('is read before the first call, which waits for it', async () => {
    const { token, account } = await newPatient();
    const { storage, release } = slowStorage({ [KEY]: token });
    const tokens: (string | null)[] = [];
    const client = newClient({ storage, onTokenChange: (changed) => tokens.push(changed) });
    expect([client.token, client.session]).toEqual([null, { status: 'loading' }]);
    const me = client.me();
    release();
    expect(dataOf(await me).id).toBe(account.id);
    expect([client.token, tokens]).toEqual([token, [token]]);
    await client.ready;
  });

  test('without a token makes the session anonymous', async () => {
    const { storage, release } = slowStorage();
    const client = newClient({ storage });
    const changed = new Promise<void>((resolve) => client.subscribe(resolve));
    release();
    await changed;
    expect(client.session).toEqual({ status: 'anonymous' });
  });

  test('is written in order, and the last write wins', async () => {
    const { items, storage, release, waiting } = slowStorage({ [KEY]: '1|a' });
    const client = newClient({ storage });
    release();
    await client.ready;
    client.token = '1|b';
    client.token = null;
    client.token = '1|c';
    // One write runs, and only the last one follows it.
    expect(waiting).toHaveLength(1);
    release();
    await new Promise(setImmediate);
    release();
    await new Promise(setImmediate);
    expect([[...items], waiting.length]).toEqual([[[KEY, '1|c']], 0]);
  });

  test('has the token when the login has ended', async () => {
    const { patient } = await newPatient();
    const { items, storage, release, waiting } = slowStorage();
    const client = newClient({ storage });
    release();
    let isDone = false;
    const login = client.login(patient).finally(() => {
      isDone = true;
    });
    while (waiting.length === 0) {
      await new Promise(setImmediate);
    }
    expect(isDone).toBe(false);
    release();
    const { token } = dataOf(await login);
    expect([...items]).toEqual([[KEY, token]]);
  });

  test('that is read after the program has set a token does not replace it', async () => {
    for (const token of ['1|new', null]) {
      const { items, storage, release } = slowStorage({ [KEY]: '1|old' });
      const client = newClient({ storage });
      client.token = token;
      release();
      release();
      await client.ready;
      await new Promise(setImmediate);
      expect([client.token, items.get(KEY) ?? null]).toEqual([token, token]);
    }
  });

  test('that never answers holds up a call for 5 s, and a signal ends the wait', async () => {
    const never = () => new Promise<null>(() => {});
    const storage = { getItem: never, setItem: never, removeItem: never };
    const waiting = newClient({ storage });
    const controller = new AbortController();
    const aborted = waiting.me({ signal: controller.signal });
    controller.abort();
    expect(await aborted).toMatchObject({ error: { code: 'ABORTED' } });
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    try {
      const client = newClient({ storage });
      jest.advanceTimersByTime(4_999);
      await Promise.resolve();
      expect(client.session).toEqual({ status: 'loading' });
      jest.advanceTimersByTime(1);
      await client.ready;
      expect(client.session).toEqual({ status: 'anonymous' });
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('localStorage', () => {
  let page: ReturnType<typeof fakeWindow>;
  beforeEach(() => {
    page = fakeWindow();
  });
  afterEach(() => page.restore());

  test('keeps the token for the next visit', async () => {
    const { patient } = await newPatient();
    const { token } = dataOf(await newClient({ storage: 'localStorage' }).login(patient));
    expect([...page.localStorage.items]).toEqual([[KEY, token]]);
    expect(newClient({ storage: 'localStorage' }).token).toBe(token);
  });

  test.each(['localStorage', 'the object'])(
    '(%s) follows the logins and logouts of other tabs',
    async (kind) => {
      const { token, account } = await newPatient();
      const tokens: (string | null)[] = [];
      const storage = kind === 'localStorage' ? kind : page.localStorage;
      const client = newClient({ storage, onTokenChange: (changed) => tokens.push(changed) });
      const shown = new Promise<void>((resolve) =>
        client.subscribe(() => client.session.status === 'authenticated' && resolve()),
      );
      page.localStorage.setItem(KEY, token);
      page.dispatch('storage', { key: 'something-else' });
      expect(client.token).toBeNull();
      page.dispatch('storage', { key: KEY });
      await shown;
      expect(client.session).toEqual({ status: 'authenticated', account });
      page.localStorage.items.clear();
      page.dispatch('storage', { key: null });
      expect(client.session).toEqual({ status: 'anonymous' });
      expect(tokens).toEqual([token, null]);
    },
  );

  test('looks again when the back button shows an old page', () => {
    const client = newClient({ storage: page.localStorage, token: '1|a' });
    page.localStorage.items.clear();
    page.dispatch('pageshow', { persisted: false });
    expect(client.token).toBe('1|a');
    page.dispatch('pageshow', { persisted: true });
    expect([client.token, client.session.status]).toEqual([null, 'anonymous']);
  });

  test('keeps what another tab has stored meanwhile, and an old event does not undo a login', async () => {
    const { patient, token } = await newPatient();
    const client = newClient({ storage: 'localStorage', token });
    page.localStorage.setItem(KEY, '7|of-another-tab');
    dataOf(await client.logout());
    expect([client.token, page.localStorage.getItem(KEY)]).toEqual([null, '7|of-another-tab']);
    const login = dataOf(await client.login(patient));
    page.dispatch('storage', { key: KEY, newValue: null });
    expect(client.token).toBe(login.token);
  });

  test('that a browser forbids does not disturb', async () => {
    const get = () => raise('SecurityError');
    Object.defineProperty(globalThis, 'localStorage', { configurable: true, get });
    const { patient } = await newPatient();
    const client = newClient({ storage: 'localStorage' });
    dataOf(await client.login(patient));
    expect(client.session.status).toBe('authenticated');
  });

  test('is not used on a server, where the session stays `loading` for the browser', async () => {
    page.restore();
    const shared = syncStorage({ [KEY]: '1|of-somebody' });
    Object.defineProperty(globalThis, 'localStorage', { value: shared, configurable: true });
    try {
      const client = newClient({ storage: 'localStorage' });
      await client.ready;
      expect([client.token, client.session]).toEqual([null, { status: 'loading' }]);
      expect(await client.refresh()).toEqual({ status: 'anonymous' });
    } finally {
      Reflect.deleteProperty(globalThis, 'localStorage');
    }
  });
});
