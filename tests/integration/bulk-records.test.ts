import { accountSchema } from '../../src/stores/account-record.ts';
import type { StoredAccount } from '../../src/stores/accounts.ts';
import { BulkRecords } from '../../src/stores/bulk-records.ts';
import { createIndexes } from '../../src/stores/indexes.ts';
import { useDatabase } from '../support/database.ts';

const database = useDatabase();

const account = (_id: string, name: string): StoredAccount => ({
  ...{ _id, name, email: `${name}@example.org`, emailKey: `${name}@example.org`, phone: null },
  ...{ role: 'patient', passwordHash: 'hash', createdAt: new Date(0), disabledAt: null },
});
const ada = { ...account('1', 'ada'), knownPlaces: ['Bern'], upgradedFrom: 'former hash' };
const ben = account('2', 'ben');

/** Two accounts, whose e-mails are unique. A changed name is noticed. */
async function people() {
  await createIndexes(database.connection);
  const { accounts: collection } = database.database;
  await collection.deleteMany();
  await collection.insertMany([ada, ben]);
  return { collection, records: new BulkRecords<StoredAccount>(database, accountSchema, ['name']) };
}

test('records are found by ids, by values, and page by page', async () => {
  const { records } = await people();
  expect(await records.byIds(['2', '3'])).toEqual(new Map([['2', ben]]));
  expect(await records.byValues('emailKey', ['ada@example.org'])).toEqual([ada]);
  expect(await records.after('', 1)).toEqual([ada]);
  expect(await records.after('1', 5)).toEqual([ben]);
  expect(await records.idsAfter('1', 5)).toEqual(['2']);
});

test('of new records, only those are refused whose id or unique value is taken', async () => {
  const { records } = await people();
  const fresh = account('3', 'cy');
  const sameEmail = account('4', 'ada');
  expect(await records.insertMany([ben, fresh, sameEmail])).toEqual([0, 2]);
  expect([...(await records.byIds(['3', '4'])).keys()]).toEqual(['3']);
});

test('a replacement writes what differs, and leaves what others have changed meanwhile', async () => {
  const { collection, records } = await people();
  await collection.updateOne({ _id: '1' }, { $set: { knownPlaces: ['Bern', 'Rome'] } });
  const { upgradedFrom: _, ...others } = ada;
  const after = { ...others, name: 'Ada B.', updatedAt: new Date(1) };
  expect(await records.replaceIfUnchanged([{ before: ada, after }])).toEqual(new Set());
  expect(await collection.findOne({ _id: '1' })).toEqual({ ...after, knownPlaces: ['Bern', 'Rome'] });
});

test.each([
  ['a compared field', { name: 'Eve' }],
  ['the field to be changed', { email: 'eve@example.org' }],
])('a record is not replaced after a change of %s', async (_what, change) => {
  const { collection, records } = await people();
  await collection.updateOne({ _id: '1' }, { $set: change });
  const after = { ...ada, email: 'new@example.org' };
  const other = { before: ben, after: { ...ben, knownPlaces: ['Oslo'] } };
  expect(await records.replaceIfUnchanged([{ before: ada, after }, other])).toEqual(new Set(['1']));
  expect(await collection.findOne({ _id: '1' })).toEqual({ ...ada, ...change });
  expect(await collection.findOne({ _id: '2' })).toEqual(other.after);
});

test('a replacement that takes the unique value of another record is not made, and named', async () => {
  const { records } = await people();
  const after = { ...ben, emailKey: 'ada@example.org' };
  expect(await records.replaceIfUnchanged([{ before: ben, after }])).toEqual(new Set(['2']));
});

test('a record is removed unless a compared field has changed', async () => {
  const { collection, records } = await people();
  await collection.updateOne({ _id: '1' }, { $set: { name: 'Eve' } });
  await collection.updateOne({ _id: '2' }, { $set: { knownPlaces: ['Oslo'] } });
  expect(await records.removeIfUnchanged([ada, ben])).toEqual(new Set(['1']));
  expect(await collection.countDocuments()).toBe(1);
});
