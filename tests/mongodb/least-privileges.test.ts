import { MongoClient } from 'mongodb';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { aMember, everyCall } from '../support/outages.ts';
import { useTestApp } from '../support/test-app.ts';

// The user of a test's database may read and write it, and nothing else. All other tests of this tier run with such users.

const app = useTestApp();
let other: TestDatabase;
beforeAll(async () => {
  other = await openTestDatabase();
});
afterAll(() => other.drop());

test('the gateway serves every call with a user who may read and write one database', async () => {
  const member = await aMember(app.url);
  for (const call of everyCall(app.url, member)) {
    expect((await call()).status).toBeLessThan(500);
  }
});

test('this user may read neither another database nor the users', async () => {
  const client = await MongoClient.connect(app.database.uri);
  try {
    const unauthorized = { code: 13 };
    await expect(client.db(other.db.databaseName).collection('accounts').findOne()).rejects.toMatchObject(
      unauthorized,
    );
    await expect(client.db('admin').collection('system.users').findOne()).rejects.toMatchObject(unauthorized);
  } finally {
    await client.close();
  }
});

test('no connection without TLS and none without a password reads anything', async () => {
  const { host, search, pathname } = new URL(app.database.uri);
  const plain = new MongoClient(`mongodb://${host}/?directConnection=true`, {
    serverSelectionTimeoutMS: 2_000,
  });
  await expect(plain.connect()).rejects.toThrow();
  await plain.close();
  const query = search.replace(/authSource=[^&]*&?/, '');
  const anonymous = await MongoClient.connect(`mongodb://${host}${pathname}${query}`);
  try {
    await expect(anonymous.db().collection('accounts').findOne()).rejects.toMatchObject({ code: 13 });
  } finally {
    await anonymous.close();
  }
});
