import { jest } from '@jest/globals';
import type { Connection } from 'mongoose';
import { TokenUses } from '../../src/auth/tokens/token-uses.ts';
import { connect } from '../../src/database/connect.ts';
import { createModels } from '../../src/models/models.ts';
import { createLog } from '../../src/system/log.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

/** What could not be written is due again a minute later: too late for a test whose machine stalls. */
const PATIENT = {
  serverSelectionTimeoutMS: 30_000,
  connectTimeoutMS: 30_000,
  waitQueueTimeoutMS: 30_000,
  socketTimeoutMS: 0,
};

const ISSUED = new Date('2026-01-01T00:00:00Z');

let database: TestDatabase;
let connection: Connection;
let uses: TokenUses;

beforeAll(async () => {
  database = await openTestDatabase();
  connection = await connect(database.uri, PATIENT);
});
afterAll(async () => {
  await connection.close();
  await database.drop();
});

beforeEach(async () => {
  await database.tokens.deleteMany({});
  const { tokens } = createModels(connection);
  const lifetimes = { absoluteMillis: undefined, idleMillis: 600_000 };
  uses = new TokenUses(tokens, lifetimes, createLog('silent'));
});
afterEach(() => jest.restoreAllMocks());

const issue = (_id: string, lastUsedAt: Date | null = null) =>
  database.tokens.insertOne({
    _id,
    accountId: 'account',
    name: 'auth-token',
    secretHash: '',
    abilities: null,
    createdAt: ISSUED,
    lastUsedAt,
    expiresAt: null,
    idleExpiresAt: null,
  });
const storedUseOf = async (_id: string) => (await database.tokens.findOne({ _id }))?.lastUsedAt;

/** Sets what the process takes for the time, and how long it takes itself to have run. */
const itIs = (now: Date, runningMillis: number) => {
  jest.spyOn(Date, 'now').mockReturnValue(now.getTime());
  jest.spyOn(performance, 'now').mockReturnValue(runningMillis);
};

const FIRST = new Date('2026-01-02T12:00:00Z');
const SECOND = new Date('2026-01-02T12:00:59Z');

test('the last use is known at once, written soon, and written again after a minute', async () => {
  await issue('busy');
  await issue('witness');
  itIs(FIRST, 1_000_000);
  uses.note('busy');
  expect(uses.latest('busy', null)).toEqual(FIRST);
  await eventually(async () => expect(await storedUseOf('busy')).toEqual(FIRST));

  itIs(SECOND, 1_059_000);
  uses.note('busy');
  uses.note('witness');
  expect(uses.latest('busy', FIRST)).toEqual(SECOND);
  await eventually(async () => expect(await storedUseOf('witness')).toEqual(SECOND));
  expect(await storedUseOf('busy')).toEqual(FIRST);

  itIs(new Date('2026-01-02T12:01:02Z'), 1_062_000);
  await eventually(async () => expect(await storedUseOf('busy')).toEqual(SECOND));
  await uses.close();
});

test('a written use leaves memory after its minute', async () => {
  await issue('once');
  itIs(FIRST, 1_000_000);
  uses.note('once');
  await eventually(async () => expect(await storedUseOf('once')).toEqual(FIRST));
  itIs(SECOND, 1_062_000);
  await eventually(() => expect(uses.latest('once', null)).toBeNull());
  await uses.close();
});

test('a close writes the unwritten uses', async () => {
  for (let n = 0; n < 1_100; n += 1) await issue(`token ${n}`);
  itIs(FIRST, 1_000_000);
  for (let n = 0; n < 1_100; n += 1) uses.note(`token ${n}`);
  await uses.close();
  expect(await database.tokens.countDocuments({ lastUsedAt: FIRST })).toBe(1_100);
});

test('a slow database does not delay a close', async () => {
  for (let n = 0; n < 300; n += 1) await issue(`token ${n}`);
  for (let n = 0; n < 300; n += 1) uses.note(`token ${n}`);
  const { tokens } = createModels(connection);
  const write = tokens.bulkWrite.bind(tokens);
  const start = performance.now();
  const slow = jest.spyOn(tokens, 'bulkWrite').mockImplementation(async (...operations) => {
    const result = await write(...operations);
    jest.spyOn(performance, 'now').mockReturnValue(start + 60_000);
    return result;
  });
  await uses.close();
  expect(slow).toHaveBeenCalledTimes(1);
});

test('a clock that was set back neither moves the last use back nor prevents later writes', async () => {
  await issue('used', SECOND);
  await issue('another');
  itIs(FIRST, 1_000_000);
  uses.note('used');
  uses.note('another');
  expect(uses.latest('used', SECOND)).toEqual(SECOND);
  await eventually(async () => expect(await storedUseOf('another')).toEqual(FIRST));
  expect(await storedUseOf('used')).toEqual(SECOND);

  const dayBefore = new Date('2026-01-01T12:00:00Z');
  itIs(dayBefore, 1_062_000);
  await issue('third');
  uses.note('third');
  await eventually(async () => expect(await storedUseOf('third')).toEqual(dayBefore));
  await uses.close();
});

test('a late write does not restore a revoked token', async () => {
  uses.note('revoked');
  await uses.close();
  expect(await database.tokens.countDocuments()).toBe(0);
});

test('a failed write happens again after the next minute', async () => {
  await issue('used');
  const { tokens } = createModels(connection);
  const failing = jest.spyOn(tokens, 'bulkWrite').mockRejectedValue(new Error('disk full'));
  itIs(FIRST, 1_000_000);
  uses.note('used');
  await eventually(() => expect(failing).toHaveBeenCalledTimes(1));
  failing.mockRestore();
  expect(await storedUseOf('used')).toBeNull();
  expect(uses.latest('used', null)).toEqual(FIRST);
  itIs(SECOND, 1_062_000);
  await eventually(async () => expect(await storedUseOf('used')).toEqual(FIRST));
  await uses.close();
});
