import { AccountStore, type StoredAccount } from '../../src/stores/accounts.ts';
import { useDatabase } from '../support/database.ts';
import { storesWrongRecords } from '../support/record-definitions.ts';

storesWrongRecords();

// What `auth-gateway legacy back` asks before it writes. Its own test needs a legacy database: services/second-factors.test.ts.

const opened = useDatabase();

const accountOf = (index: number, more: Partial<Record<keyof StoredAccount, unknown>>) => {
  const email = `person.${index}@example.org`;
  return {
    _id: String(index),
    name: 'Pat',
    email,
    emailKey: email,
    role: 'patient',
    ...more,
  } as StoredAccount;
};

test('all accounts with a second factor are counted, in any state and on any page', async () => {
  const { accounts } = opened.database;
  const store = new AccountStore(opened);
  expect(await store.countWithFactors()).toBe(0);
  await accounts.insertMany(
    Array.from({ length: 600 }, (_, index) => accountOf(index, index % 2 === 0 ? {} : { factors: null })),
  );
  expect(await store.countWithFactors()).toBe(0);
  const factors = { app: 'an app', codes: 'its codes' };
  await accounts.insertMany([
    accountOf(1_000, { factors }),
    accountOf(9_999, { factors, disabledAt: new Date() }),
    // Of another program: no login accepts it as none.
    accountOf(5_000, { factors: 'unknown' }),
  ]);
  expect(await store.countWithFactors()).toBe(3);
});
