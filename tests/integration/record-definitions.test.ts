import { ResetTokenStore } from '../../src/stores/reset-tokens.ts';
import { useDatabase } from '../support/database.ts';
import { differencesIn } from '../support/record-definitions.ts';

const opened = useDatabase();
const bound = { accountId: 'ada', emailDigest: 'digest', passwordChangeId: null };

test('a record is stored in the order of its definition, without what is undefined', async () => {
  const optional: { mailed?: true; setsUp?: true } = { setsUp: true };
  Object.assign(optional, { mailed: undefined });
  await new ResetTokenStore(opened).insert({ ...optional, expiresAt: new Date(), ...bound, _id: 'a token' });
  const stored = await opened.database.db.collection('reset_tokens').findOne({ accountId: 'ada' });
  const fields = ['_id', 'accountId', 'emailDigest', 'passwordChangeId', 'expiresAt', 'setsUp'];
  expect(Object.keys(stored ?? {})).toEqual(fields);
});

test('a record with a field that has no definition is not stored', async () => {
  const token = { _id: 'another token', ...bound, expiresAt: new Date(), colour: 'red' };
  await expect(new ResetTokenStore(opened).insert(token)).rejects.toThrow('reset_tokens has no field colour');
  expect(await new ResetTokenStore(opened).find(token._id, new Date(0))).toBeUndefined();
});

test('stored records that differ from their definitions are found', async () => {
  const { db } = opened.database;
  expect(await differencesIn(db)).toEqual([]);
  const eventNotes = [{ id: 7, act: 'closing', at: new Date() }];
  await db.collection('doctor_profiles').insertOne({ eventNotes, verification: 'none', replaced: [7] });
  const wrong = { accountId: 'ada', kind: null, codes: 'one', createdAt: 'today', colour: 'red' };
  await db.collection('factors').insertOne(wrong);
  const found = await differencesIn(db);
  expect(found).toEqual(
    expect.arrayContaining([
      'doctor_profiles.eventNotes.id is no String',
      'doctor_profiles.verification is no Embedded',
      'doctor_profiles.replaced is no String',
      'doctor_profiles.practiceAddress is undefined',
      'factors.colour has no definition',
      'factors._id is no String',
      'factors.kind is null',
      'factors.codes is no Array',
      'factors.createdAt is no Date',
    ]),
  );
  expect(found.filter((one) => one.startsWith('factors.'))).toHaveLength(5);
  await Promise.all(['doctor_profiles', 'factors'].map((name) => db.collection(name).deleteMany()));
});
