import { named } from '../../support/database-messages.ts';
import { useProxiedApp } from '../../support/database-proxy.ts';
import { authenticated, refused } from '../../support/expectations.ts';
import { aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { tokenIdOf } from '../../support/session.ts';
import { inventoryOf, testClock } from '../../support/test-app.ts';

const behind = useProxiedApp({ ID_FORMAT: 'integer' });

test('a registration gets 503 if no number is reserved in time, and does not hold up the next ones', async () => {
  const { app, proxy } = behind;
  const api = restApi(app.url);
  const before = await inventoryOf(app);

  const reservations = proxy.hold(named('findAndModify counters'));
  const late = api.registerPatient(aPatient());
  await reservations.arrived(1);
  await testClock.advance(2_000);
  refused(await late, 'unavailable');
  // The limit of the exchange itself.
  await testClock.advance(5_000);
  const next = api.registerPatient(aPatient());
  await reservations.arrived(2);
  reservations.release();
  const { account, token } = authenticated(await next);
  expect([String(account.id), tokenIdOf(token)]).toEqual([
    expect.stringMatching(/^\d+$/),
    expect.stringMatching(/^\d+$/),
  ]);
  expect(await inventoryOf(app)).toMatchObject({ accounts: before.accounts + 1 });
});

test('logins do not ask the database for each number', async () => {
  const { app, proxy } = behind;
  const api = restApi(app.url);
  const patient = aPatient();
  authenticated(await api.registerPatient(patient));
  // A reservation would never be answered.
  const reservations = proxy.hold(named('findAndModify counters'));
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => api.login(patient)));
  const ids = outcomes.map((outcome) => tokenIdOf(authenticated(outcome).token));
  expect(new Set(ids).size).toBe(20);
  reservations.release();
});
