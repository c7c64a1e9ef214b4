import { startEmbeddedMongo } from '@auth-gateway/embedded-mongo';
import { openDataFolder } from '@auth-gateway/embedded-mongo/tools';
import { connect, dbOf } from '../../src/database/connect.ts';
import type { StoredAccessToken } from '../../src/stores/access-tokens.ts';
import { createIndexes } from '../../src/stores/indexes.ts';
import { LONG_LIMITS } from '../support/database.ts';
import { authenticated } from '../support/expectations.ts';
import { useWorkshop } from '../support/gateway-process.ts';
import { importedToken, sanctumSecret } from '../support/legacy.ts';
import { aPatient } from '../support/people.ts';
import { restApi } from '../support/rest-api.ts';
import { accountOf } from '../support/session.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';
import { useTestApp } from '../support/test-app.ts';

const app = useTestApp();
const workshop = useWorkshop();
const inFolder = folderOfEachTest();

const NOW = new Date('2026-06-01T12:00:00Z');
const EARLIER = new Date('2026-06-01T11:59:00Z');
const LATER = new Date('2026-06-01T12:01:00Z');

const tokenUntil = (id: string, expiresAt: Date | null, idleExpiresAt: Date | null) => ({
  ...importedToken({ id, accountId: 'account' }),
  ...{ expiresAt, idleExpiresAt },
});

test('the database has a TTL index only for tokens with an end', async () => {
  const indexes = await app.database.tokens.indexes();
  for (const end of ['expiresAt', 'idleExpiresAt']) {
    const partialFilterExpression = { [end]: { $type: 'date' } };
    expect(indexes).toContainEqual(
      expect.objectContaining({ key: { [end]: 1 }, expireAfterSeconds: 0, partialFilterExpression }),
    );
  }
});

test('the index for secrets without an id has only imported tokens', async () => {
  expect(await app.database.tokens.indexes()).toContainEqual(
    expect.objectContaining({ key: { secretHash: 1 }, partialFilterExpression: { imported: true } }),
  );
});

test('the embedded engine finds a secret without an id by that index', async () => {
  const gateway = workshop.start({ MONGODB_URI: undefined, NODE_DEBUG: 'embedded-mongo' });
  expect(await accountOf(await gateway.url(), sanctumSecret())).toBeUndefined();
  gateway.signal('SIGTERM');
  await gateway.exitCode();
  const plans = gateway.stderr.split('\n').filter((line) => line.includes('["secretHash","imported"]'));
  expect(plans).toEqual([expect.stringMatching(/access_tokens .*: secretHash_1$/)]);
});

test('the embedded engine removes only expired tokens', async () => {
  const server = await startEmbeddedMongo({ path: inFolder() });
  const connection = await connect(server.uri, LONG_LIMITS);
  await createIndexes(connection);
  await dbOf(connection)
    .collection<StoredAccessToken>('access_tokens')
    .insertMany([
      tokenUntil('without end', null, null),
      tokenUntil('expired', EARLIER, null),
      tokenUntil('expired, used lately', EARLIER, LATER),
      tokenUntil('idle', null, EARLIER),
      tokenUntil('idle, not expired', LATER, EARLIER),
      tokenUntil('valid', LATER, LATER),
    ]);
  await connection.close();
  await server.stop();

  const data = openDataFolder(inFolder());
  expect(await data.removeExpired(NOW)).toBe(4);
  expect(data.verify()).toMatchObject({ documents: 2, problems: [] });
  await data.close();
});

test('a stop writes the last uses of tokens that are still unwritten', async () => {
  const gateway = workshop.start();
  const url = await gateway.url();
  const { token } = authenticated(await restApi(url).registerPatient(aPatient()));
  const before = Date.now();
  expect(await accountOf(url, token)).toBeDefined();
  gateway.signal('SIGTERM');
  expect(await gateway.exitCode()).toBe(0);
  const record = await workshop.database.tokens.findOne({ _id: token.split('|')[0] ?? '' });
  expect(record?.lastUsedAt?.getTime()).toBeGreaterThanOrEqual(before);
});
