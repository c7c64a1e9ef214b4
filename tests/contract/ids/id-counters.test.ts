import { createApp } from '../../../src/app/app.ts';
import { IdStore, type NumberedCollection } from '../../../src/stores/ids.ts';
import { createLog } from '../../../src/system/log.ts';
import { configOn } from '../../documents/support/aftermath.ts';
import { useDatabase } from '../../support/database.ts';
import { authenticated } from '../../support/expectations.ts';
import { graphqlApi } from '../../support/graphql-api.ts';
import { importAccount, importToken } from '../../support/legacy.ts';
import { aPatient } from '../../support/people.ts';
import { tokenIdOf } from '../../support/session.ts';
import { useTestApp } from '../../support/test-app.ts';

const used = useDatabase();
const COLLECTIONS = ['accounts', 'access_tokens', 'doctor_profiles', 'erasures', 'counters'];
beforeEach(async () => {
  await Promise.all(COLLECTIONS.map((name) => used.database.db.collection(name).deleteMany({})));
});

/** Stores records with nothing but their ids. */
const store = (collection: string, ids: string[], fields: object = {}) =>
  used.database.db.collection<{ _id: string }>(collection).insertMany(ids.map((_id) => ({ _id, ...fields })));

async function counters(): Promise<Record<string, unknown>> {
  const stored = await used.database.db
    .collection<{ _id: string; value: unknown }>('counters')
    .find()
    .toArray();
  return Object.fromEntries(stored.map(({ _id, value }) => [_id, value]));
}

const ids = () => new IdStore(used);
const reserve = (name: NumberedCollection, count: number) => ids().reserve(name, count);

describe('a counter that does not exist yet', () => {
  test('starts at 0 in an empty database', async () => {
    await ids().make();
    expect(await counters()).toEqual({ accounts: 0, access_tokens: 0 });
    expect(await reserve('accounts', 10)).toBe(10);
  });

  test('starts at the largest number, not at the last text', async () => {
    await store('accounts', ['1', '9', '10', '1000', '998']);
    await store('access_tokens', ['7', '71', '8']);
    await ids().make();
    expect(await counters()).toEqual({ accounts: 1000, access_tokens: 71 });
  });

  test('does not count ids that are no canonical numbers', async () => {
    const others = [
      '0042',
      '6650f1c2a4b3d2e1f0a9b8c6',
      '665012345678901234567890',
      '77x',
      'x88',
      '9.5',
      '-99',
      '1e9',
    ];
    await store('accounts', [...others, '5']);
    await ids().make();
    expect(await counters()).toMatchObject({ accounts: 5 });
  });

  test('starts above the numbers of erased accounts', async () => {
    await store('accounts', ['5']);
    await store('erasures', ['77'], { erasedAt: new Date() });
    await ids().make();
    expect(await counters()).toMatchObject({ accounts: 77 });
  });

  test('starts above the numbers of deleted accounts that have left a profile or a token behind', async () => {
    await store('accounts', ['5']);
    await store('doctor_profiles', ['6']);
    await store('access_tokens', ['x'], { accountId: '700' });
    await ids().make();
    expect(await counters()).toEqual({ accounts: 700, access_tokens: 0 });
  });

  test('is the same for instances that make it at once', async () => {
    await store('accounts', ['41']);
    await Promise.all(Array.from({ length: 8 }, () => ids().make()));
    const lasts = await Promise.all(Array.from({ length: 8 }, () => reserve('accounts', 5)));
    expect(lasts.sort((a, b) => a - b)).toEqual([46, 51, 56, 61, 66, 71, 76, 81]);
  });
});

test('a counter that exists is not changed by a start', async () => {
  await ids().make();
  await reserve('accounts', 300);
  await store('accounts', ['5']);
  await ids().make();
  expect(await counters()).toMatchObject({ accounts: 300 });
});

test('an import raises the counters, and never lowers them', async () => {
  await ids().raise({ accounts: 1_000_000n, access_tokens: 1_300_000n });
  await ids().raise({ accounts: 12n });
  expect(await counters()).toEqual({ accounts: 1_000_000, access_tokens: 1_300_000 });
  expect(await reserve('accounts', 1)).toBe(1_000_001);
});

test('an import into a database with larger numbers starts the counter above those', async () => {
  await store('accounts', ['5000']);
  await ids().raise({ accounts: 12n });
  expect(await counters()).toEqual({ accounts: 5000 });
});

test('numbers end below 2^53, where JSON numbers are no longer exact', async () => {
  await ids().raise({ accounts: BigInt(Number.MAX_SAFE_INTEGER) - 10n });
  expect(await reserve('accounts', 10)).toBe(Number.MAX_SAFE_INTEGER);
  await expect(reserve('accounts', 1)).rejects.toMatchObject({ status: 503 });
  expect(await counters()).toEqual({ accounts: Number.MAX_SAFE_INTEGER });
});

test('no number is reserved from a counter that was removed', async () => {
  await expect(reserve('accounts', 1)).rejects.toMatchObject({ status: 503 });
  expect(await counters()).toEqual({});
});

describe('a gateway with ID_FORMAT=integer', () => {
  const app = useTestApp();
  const another = () => createApp(configOn(app, { ID_FORMAT: 'integer' }), createLog('silent'));
  beforeEach(async () => {
    await app.database.accounts.deleteMany({});
    await app.database.tokens.deleteMany({});
    await app.database.db.collection('counters').deleteMany({});
  });

  test('continues where the numbers of the legacy service ended', async () => {
    const { id } = await importAccount(app.database, '4711');
    await importToken(app.database, { id: '815', accountId: id });
    const gateway = another();
    const { address } = await gateway.start();
    const { account, token } = authenticated(await graphqlApi(address).registerPatient(aPatient()));
    expect([account.id, tokenIdOf(token)]).toEqual(['4712', '816']);
    await gateway.stop();
  });

  test.each(['9007199254740992', '9223372036854775807'])(
    'does not start if the id %s is stored',
    async (id) => {
      await importAccount(app.database, id);
      await expect(another().start()).rejects.toThrow(
        'ID_FORMAT=integer cannot be used: an id in accounts is above 9007199254740991',
      );
    },
  );

  test('does not start after an import of ids that are too large', async () => {
    await app.database.db
      .collection<{ _id: string; value: bigint }>('counters')
      .insertOne({ _id: 'access_tokens', value: 2n ** 62n });
    await expect(another().start()).rejects.toThrow('an id in access_tokens is above');
  });
});

test('an import of ids beyond every range of MongoDB leaves the largest counter', async () => {
  await ids().raise({ accounts: 2n ** 64n - 1n });
  await expect(ids().make()).rejects.toThrow('an id in accounts is above');
});
