import { eventually } from '../../support/eventually.ts';
import { authenticated, registeredDoctor, succeeded } from '../../support/expectations.ts';
import {
  askAccounts,
  askFeed,
  BILLING,
  FEED,
  type FeedEvent,
  PRACTICE,
  RECORDS,
  readAll,
  readFeed,
  STRANGER,
} from '../../support/feed.ts';
import { graphqlApi } from '../../support/graphql-api.ts';
import { jsonOf, send } from '../../support/http.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { basic } from '../../support/services.ts';
import { tokenIdOf } from '../../support/session.ts';
import { testClock, useTestApp } from '../../support/test-app.ts';

const app = useTestApp(FEED);

const begin = async () => (await readFeed(app.url, {})).next;

/** Reads until there are so many events. */
async function eventsBehind(after: string, count: number): Promise<FeedEvent[]> {
  let events: FeedEvent[] = [];
  await eventually(async () => {
    events = (await readAll(app.url, after)).events;
    expect(events.length).toBeGreaterThanOrEqual(count);
  });
  expect(events).toHaveLength(count);
  return events;
}

test('a patient from the registration to the logout', async () => {
  const after = await begin();
  const api = restApi(app.url);
  const { account, token } = authenticated(await api.registerPatient(aPatient()));
  succeeded(await api.logout(`Bearer ${token}`));
  const [registered, revoked] = await eventsBehind(after, 2);
  expect(registered).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    type: 'account.registered',
    at: new Date(testClock.now()).toISOString(),
    cause: 'registration',
    account: { id: account.id, role: 'patient', state: 'active', verification: null },
    token: null,
  });
  expect(revoked).toMatchObject({ type: 'sessions.revoked', cause: 'logout', token: tokenIdOf(token) });
});

test('no name, e-mail or telephone is in an event', async () => {
  const after = await begin();
  const person = aDoctor();
  registeredDoctor(await graphqlApi(app.url).registerDoctor(person));
  const text = JSON.stringify(await eventsBehind(after, 1));
  for (const secret of [person.name, person.email, person.phone, person.licenseNumber]) {
    expect(text).not.toContain(secret);
  }
});

test('a change that a clock which was ahead has noted is published after a minute', async () => {
  const after = await begin();
  const { account } = authenticated(await restApi(app.url).registerPatient(aPatient()));
  const note = {
    id: 'a note of tomorrow',
    act: 'correction' as const,
    at: new Date(testClock.now() + 86_400_000),
  };
  await app.database.accounts.updateOne({ _id: account.id }, { $set: { eventNotes: [note] } });
  await eventually(async () => {
    await testClock.advance(60_000);
    expect((await readAll(app.url, after)).events.at(-1)).toMatchObject({ id: note.id, cause: 'correction' });
  });
  await eventually(async () =>
    expect(await app.database.accounts.findOne({ _id: account.id })).not.toHaveProperty('eventNotes'),
  );
});

test('a change that only a later version knows is recorded, but not published', async () => {
  const after = await begin();
  const { account } = authenticated(await restApi(app.url).registerPatient(aPatient()));
  const note = {
    id: 'a note of a later version',
    act: 'something new' as never,
    at: new Date(testClock.now()),
  };
  await app.database.accounts.updateOne({ _id: account.id }, { $set: { eventNotes: [note] } });
  await eventually(async () => {
    await testClock.advance(60_000);
    expect(await app.database.accounts.findOne({ _id: account.id })).not.toHaveProperty('eventNotes');
  });
  const recorded = await app.database.db.collection('audit_events').findOne({ act: note.act });
  expect(recorded).toMatchObject({ _id: note.id, accountId: account.id });
  expect(await eventsBehind(after, 1)).toMatchObject([{ cause: 'registration' }]);
});

describe('the cursor', () => {
  test('is opaque, and continues where it was', async () => {
    const first = await begin();
    const api = restApi(app.url);
    authenticated(await api.registerPatient(aPatient()));
    authenticated(await api.registerPatient(aPatient()));
    const events = await eventsBehind(first, 2);
    const { next } = await readAll(app.url, first);
    expect(next).toMatch(/^[\w-]+$/);
    expect(await readAll(app.url, next)).toEqual({ events: [], next });
    expect((await readAll(app.url, first)).events).toEqual(events);
  });

  test('passes by the types that are not asked for', async () => {
    const first = await begin();
    const api = restApi(app.url);
    const { token } = authenticated(await api.registerPatient(aPatient()));
    succeeded(await api.logout(`Bearer ${token}`));
    await eventsBehind(first, 2);
    const page = await readFeed(app.url, { after: first, types: 'doctor.*' });
    expect(page.events).toEqual([]);
    expect((await readFeed(app.url, { after: page.next })).events).toEqual([]);
  });

  const cursor = (text: string) => Buffer.from(text).toString('base64url');
  test.each([
    '',
    'x',
    '0',
    ...['', '1', '-1 x', '01 x', '1.5 x', 'NaN x', `${'9'.repeat(16)} x`].map(cursor),
    `${cursor('0 ')}=`,
    'a'.repeat(5_000),
  ])('is not "%.20s"', async (after) => {
    const http = await askFeed(app.url, { after });
    expect([http.status, jsonOf(http)]).toEqual([
      400,
      { message: 'The parameter after must be a cursor of this feed.' },
    ]);
  });

  test.each(['1 another event', '999999 no event'])('is gone: "%s"', async (place) => {
    const http = await askFeed(app.url, { after: cursor(place) });
    expect(http.status).toBe(410);
    expect(jsonOf(http)).toEqual({ message: expect.stringContaining('POST /events/accounts') });
  });
});

describe('a service', () => {
  test.each<[string, typeof RECORDS, Record<string, string>]>([
    ['may read nothing', STRANGER, {}],
    ['asks for a type that it may not read', BILLING, { types: 'sessions.revoked' }],
    ['asks for all types', BILLING, { types: '*' }],
  ])('that %s gets 403', async (_, service, query) => {
    const http = await askFeed(app.url, query, service);
    expect([http.status, jsonOf(http)]).toEqual([403, { message: 'The service may not read these events.' }]);
  });

  test('gets only its types', async () => {
    const { next } = await readFeed(app.url, {}, BILLING);
    const api = restApi(app.url);
    const { token } = authenticated(await api.registerPatient(aPatient()));
    succeeded(await api.logout(`Bearer ${token}`));
    await eventsBehind(next, 2);
    const { events } = await readFeed(app.url, { after: next }, BILLING);
    expect(events.map(({ type }) => type)).toEqual(['account.registered']);
  });

  test.each<[string, string]>([
    ['types=nonsense', 'The parameter types must be types of events, such as account.*,doctor.verified.'],
    ['types=', 'The parameter types must be types of events, such as account.*,doctor.verified.'],
    ['types=account.*&types=doctor.*', 'The parameter types must be sent once.'],
    ['after=MCA&after=MCA', 'The parameter after must be sent once.'],
    ['after[x]=1', 'The parameter after must be sent once.'],
    ['wait=-1', 'The parameter wait must be a number of seconds.'],
    ['wait=long', 'The parameter wait must be a number of seconds.'],
  ])('asks wrongly: %s', async (query, message) => {
    const headers = basic(RECORDS.id, RECORDS.secret);
    const http = await send(`${app.url}/events?${query}`, { headers });
    // Express reads `after[x]` as another parameter.
    expect([http.status, jsonOf(http)]).toEqual(
      query.includes('[') ? [200, expect.anything()] : [400, { message }],
    );
  });

  test('asks by another method', async () => {
    for (const [path, allowed] of [
      ['/events', 'GET'],
      ['/events/accounts', 'POST'],
    ]) {
      const http = await send(`${app.url}${path}`, { method: 'PUT' });
      expect([http.status, http.headers.get('Allow')]).toEqual([405, allowed]);
    }
  });
});

describe('the state of accounts', () => {
  test('is that of now, and an unknown one is erased', async () => {
    const { account } = authenticated(await restApi(app.url).registerPatient(aPatient()));
    const doctor = registeredDoctor(await graphqlApi(app.url).registerDoctor(aDoctor()));
    await app.database.accounts.updateOne({ _id: account.id }, { $set: { disabledAt: new Date() } });
    const http = await askAccounts(app.url, { ids: [account.id, doctor.account.id, 'nobody', account.id] });
    expect(jsonOf(http)).toEqual({
      accounts: [
        { id: account.id, role: 'patient', state: 'disabled', verification: null },
        { id: doctor.account.id, role: 'doctor', state: 'active', verification: 'pending' },
        { id: 'nobody', role: null, state: 'erased', verification: null },
      ],
    });
  });

  test('is that of an unknown one, if the types of the service are not about it', async () => {
    const register = async () => authenticated(await restApi(app.url).registerPatient(aPatient())).account.id;
    const doctor = registeredDoctor(await graphqlApi(app.url).registerDoctor(aDoctor())).account.id;
    const [patient, operator] = [await register(), await register()];
    await app.database.accounts.updateOne({ _id: operator }, { $set: { role: 'operator' } });
    const ids = [doctor, patient, operator, 'nobody'];
    const shown = {
      [doctor]: { role: 'doctor', state: 'active', verification: 'pending' },
      [patient]: { role: 'patient', state: 'active', verification: null },
    };
    const answerFor = (known: readonly string[]) => ({
      accounts: ids.map((id) => ({
        id,
        ...((known.includes(id) && shown[id]) || { role: null, state: 'erased', verification: null }),
      })),
    });
    expect(jsonOf(await askAccounts(app.url, { ids }, RECORDS))).toEqual(answerFor([doctor, patient]));
    expect(jsonOf(await askAccounts(app.url, { ids }, BILLING))).toEqual(answerFor([doctor, patient]));
    expect(jsonOf(await askAccounts(app.url, { ids }, PRACTICE))).toEqual(answerFor([doctor]));
    await app.database.accounts.updateOne({ _id: operator }, { $set: { role: 'patient' } });
  });

  test.each<[string, unknown]>([
    ['no list', { ids: 'x' }],
    ['nothing', {}],
    ['a number', { ids: [1] }],
    ['an operator of the database', { ids: [{ $ne: null }] }],
    ['an empty id', { ids: [''] }],
    ['a long id', { ids: ['x'.repeat(129)] }],
    ['too many ids', { ids: Array.from({ length: 501 }, String) }],
    ['no object', '[]'],
  ])('is not asked for by %s', async (_, body) => {
    const http = await askAccounts(app.url, body);
    expect([http.status, jsonOf(http)]).toEqual([
      400,
      { message: 'The field ids must be a list of up to 500 ids of accounts.' },
    ]);
  });
});
