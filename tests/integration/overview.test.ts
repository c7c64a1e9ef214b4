import { Overview } from '../../src/auth/overview.ts';
import type { AccountStore } from '../../src/stores/accounts.ts';
import { createIndexes } from '../../src/stores/indexes.ts';
import { openStores } from '../../src/stores/stores.ts';
import { useDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { decide, newDoctor, newReviewer } from '../support/reviews.ts';
import { type Sample, scrape } from '../support/scrape.ts';
import { testClock, useTestApp } from '../support/test-app.ts';

const app = useTestApp({ METRICS: 'on', METRICS_PORT: '0' });
const opened = useDatabase();

const MINUTE = 60_000;

/** The values of the gauges about people, without labels that stay the same. */
const shownIn = (samples: Sample[]) =>
  Object.fromEntries(
    samples
      .filter(({ name }) => /^auth_gateway_(accounts|doctors)/.test(name))
      .map(({ name, labels: { role = '', second_factor = '' }, value }) => [
        [name.replace('auth_gateway_', ''), role, second_factor].filter(Boolean).join(' '),
        value,
      ]),
  );

test('the metrics show people by role, and how long the first doctor has been waiting', async () => {
  const reviewer = await newReviewer(app);
  const first = await newDoctor(app);
  testClock.move(MINUTE);
  const [second, disabled] = [await newDoctor(app), await newDoctor(app)];
  await app.database.accounts.updateOne({ _id: disabled.account.id }, { $set: { disabledAt: new Date() } });
  testClock.move(5 * MINUTE);
  const people = { 'accounts doctor on': 0, 'accounts doctor off': 2, 'accounts reviewer off': 1 };
  await eventually(async () =>
    expect(shownIn(await scrape(app))).toMatchObject({
      ...people,
      accounts_disabled: 1,
      doctors_pending: 2,
      doctors_pending_oldest_seconds: 360,
    }),
  );
  for (const { account } of [first, second]) {
    await decide(app, reviewer.token, { id: account.id, decision: 'APPROVE', revision: 0 });
  }
  testClock.move(5 * MINUTE);
  await eventually(async () =>
    expect(shownIn(await scrape(app))).toMatchObject({
      doctors_pending: 0,
      doctors_pending_oldest_seconds: 0,
    }),
  );
});

test('of several instances one counts every five minutes, and the next one if it has died', async () => {
  await createIndexes(opened.connection);
  const clock = new ManualClock(new Date('2026-01-31T12:00:00Z'));
  const stores = openStores(opened);
  let counted = 0;
  const countFactors = () => {
    counted += 1;
    return stores.accounts.countFactors();
  };
  const countInactive = () => stores.accounts.countInactive();
  const accounts = { countFactors, countInactive, reviewable: async () => [] } as unknown as AccountStore;
  const instances = Array.from({ length: 4 }, () => new Overview({ ...stores, accounts, clock }));
  const readAll = () => Promise.all(instances.map((instance) => instance.read()));
  await readAll();
  expect(counted).toBe(1);
  const found = await readAll();
  expect(found[0]).toMatchObject({ pendingDoctors: 0, oldestPendingAt: null, disabled: 0 });
  expect(found).toEqual(Array.from({ length: 4 }, () => found[0]));
  clock.move(5 * MINUTE);
  await readAll();
  expect(counted).toBe(2);
  // It takes the turn, and is killed before it has counted.
  clock.move(5 * MINUTE);
  await stores.overviews.claim(new Date(clock.now()), 5 * MINUTE);
  await readAll();
  expect(counted).toBe(2);
  clock.move(5 * MINUTE);
  await readAll();
  expect(counted).toBe(3);
  // A clock that was set back must not keep the others from counting.
  clock.move(-60 * MINUTE);
  await readAll();
  expect(counted).toBe(4);
});
