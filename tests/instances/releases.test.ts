import path from 'node:path';
import { SCHEMA_VERSION } from '../../src/stores/schema-version.ts';
import { adminProcess } from '../support/admin-command.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { type GatewayProcess, useWorkshop } from '../support/gateway-process.ts';
import { storesWrongRecords } from '../support/record-definitions.ts';
import { stopWithoutWarnings } from './support/instances.ts';
import { importRelease, makeDataFolder, peopleOfRelease } from './support/release.ts';

storesWrongRecords();

const workshop = useWorkshop();

const MIGRATED = 'the database has a new schema version';
const TWIN = /Account (\w+) has the e-mail of another account/;

const linesWith = ({ stdout }: GatewayProcess, text: string) =>
  stdout.split('\n').filter((line) => line.includes(text));

const statusOf = async (url: string, init: RequestInit) => (await fetch(url, init)).status;

const statusOfLogin = (url: string, { email, password }: { email: string; password: string }) =>
  statusOf(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });

/** Whom a token belongs to; undefined if it is refused. */
async function holderOf(url: string, token: string): Promise<unknown> {
  const response = await fetch(`${url}/api/v1/user`, { headers: { Authorization: `Bearer ${token}` } });
  return response.ok ? ((await response.json()) as { id: unknown }).id : undefined;
}

/** Checks that the gateway serves all that release 0.1.0 has stored. */
async function expectEverybody(url: string): Promise<void> {
  const { loggedOut, twin, ...others } = await peopleOfRelease();
  for (const person of [...Object.values(others), twin]) {
    expect(await holderOf(url, person.token)).toBe(person.id);
    expect(await statusOfLogin(url, person)).toBe(200);
  }
  expect(await holderOf(url, loggedOut.token)).toBeUndefined();
  expect(await statusOfLogin(url, loggedOut)).toBe(200);
  const inAscii = others.international.email.replace('müller', 'xn--mller-kva');
  expect(await statusOfLogin(url, { ...others.international, email: inAscii })).toBe(200);
}

describe('the data of release 0.1.0', () => {
  test('a data folder is migrated at the first start, and left alone at the next', async () => {
    const settings = { DATA_DIR: path.join(workshop.folder, 'old'), MONGODB_URI: undefined };
    await makeDataFolder(settings.DATA_DIR);
    const first = workshop.start(settings);
    await expectEverybody(await first.url());
    expect(await first.stop()).toBe(0);
    expect(linesWith(first, MIGRATED)).toHaveLength(SCHEMA_VERSION);
    const { twin } = await peopleOfRelease();
    expect(TWIN.exec(first.stdout)?.[1]).toBe(twin.id);

    const second = workshop.start(settings);
    await expectEverybody(await second.url());
    await stopWithoutWarnings(second);
    expect(linesWith(second, MIGRATED)).toEqual([]);
  }, 60_000);

  test('an export in a MongoDB is migrated by one of the instances that start at once', async () => {
    const database = await openTestDatabase();
    await importRelease(database.db);
    const before = await contentsOf(database);
    const gateways = [1, 2, 3].map(() => workshop.start({ MONGODB_URI: database.uri }));
    for (const gateway of gateways) {
      await expectEverybody(await gateway.url());
    }
    expect(gateways.flatMap((gateway) => linesWith(gateway, MIGRATED))).toHaveLength(SCHEMA_VERSION);
    const schema = await database.db.collection('schema').find().toArray();
    expect(schema).toEqual([{ _id: 'schema', version: SCHEMA_VERSION, release: expect.any(String) }]);
    expect(before.accounts).toHaveLength(6);
    expect(await contentsOf(database)).toMatchObject({
      auditEvents: expect.arrayContaining(before.auditEvents),
    });
    for (const gateway of gateways) {
      expect(await gateway.stop()).toBe(0);
    }
    await database.drop();
  }, 60_000);

  test('commands wait for the gateway to migrate it', async () => {
    const database = await openTestDatabase();
    await importRelease(database.db);
    const before = await contentsOf(database);
    const { code, stderr } = await adminProcess({ MONGODB_URI: database.uri }, 'accounts', 'count');
    expect([code, stderr]).toEqual([1, expect.stringContaining('Start the gateway of this release first')]);
    expect(await contentsOf(database)).toEqual(before);
    await database.drop();
  });
});

test('the schema of a later release is refused, and nothing is changed', async () => {
  const database = await openTestDatabase();
  await importRelease(database.db);
  const schema = { _id: 'schema' as never, version: SCHEMA_VERSION + 1, release: '9.9.9' };
  await database.db.collection('schema').insertOne(schema);
  const before = await contentsOf(database);
  const gateway = workshop.start({ MONGODB_URI: database.uri });
  expect(await gateway.exitCode()).toBe(1);
  const sentence = `its schema has version ${SCHEMA_VERSION + 1}, of release 9.9.9`;
  expect(gateway.stderr).toContain(sentence);
  const { code, stderr } = await adminProcess({ MONGODB_URI: database.uri }, 'accounts', 'count');
  expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)]);
  expect(await contentsOf(database)).toEqual(before);
  expect((await database.db.listCollections().toArray()).map(({ name }) => name)).not.toContain('erasures');
  await database.drop();
});

const contentsOf = async ({ db }: TestDatabase) => ({
  accounts: await db.collection('accounts').find().sort({ _id: 1 }).toArray(),
  auditEvents: await db.collection('audit_events').find().sort({ _id: 1 }).toArray(),
  schema: await db.collection('schema').find().toArray(),
});
