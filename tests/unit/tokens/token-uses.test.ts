import { jest } from '@jest/globals';
import { TokenUses } from '../../../src/auth/tokens/token-uses.ts';
import { AccessTokenStore } from '../../../src/stores/access-tokens.ts';
import { createLog } from '../../../src/system/log.ts';
import { useDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { importedToken } from '../../support/legacy.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { someAtATime } from '../../support/some-at-a-time.ts';

const FIRST = new Date('2026-01-02T12:00:00Z');
/** A use is written a second after it. The next one is due a minute after that. */
const WRITTEN_AFTER_MILLIS = 1_000;
const DUE_AFTER_MILLIS = 61_000;
const after = (millis: number) => new Date(FIRST.getTime() + millis);

const opened = useDatabase();
let uses: TokenUses;
let accessTokens: AccessTokenStore;
let clock: ManualClock;

beforeEach(async () => {
  await opened.database.tokens.deleteMany({});
  accessTokens = new AccessTokenStore(opened);
  const lifetimes = { absoluteMillis: undefined, idleMillis: 600_000 };
  const tokenLifetimes = { everyone: lifetimes, staff: lifetimes };
  clock = new ManualClock(FIRST);
  uses = new TokenUses({ accessTokens, tokenLifetimes, clock, log: createLog('silent') });
});
afterEach(() => jest.restoreAllMocks());

const issue = (id: string, lastUsedAt: Date | null = null) =>
  opened.database.tokens.insertOne({ ...importedToken({ id, accountId: 'account' }), lastUsedAt });
/** Notes that a token is being used. */
const note = (_id: string) => uses.note({ _id, isStaff: false });
const storedUseOf = async (_id: string) => (await opened.database.tokens.findOne({ _id }))?.lastUsedAt;

/** Lets time pass, and waits until the due uses are written: then the next tick is scheduled. */
async function advanceAndWrite(millis: number) {
  await clock.advance(millis);
  await eventually(() => expect(clock.millisToNext).toBeLessThanOrEqual(1_000));
}

test('a use is known at once and written after a second; the next one not before the minute is over', async () => {
  await issue('busy');
  note('busy');
  expect(uses.latest('busy', null)).toEqual(FIRST);
  await advanceAndWrite(WRITTEN_AFTER_MILLIS);
  expect(await storedUseOf('busy')).toEqual(FIRST);

  await advanceAndWrite(30_000 - WRITTEN_AFTER_MILLIS);
  note('busy');
  expect(uses.latest('busy', FIRST)).toEqual(after(30_000));
  await advanceAndWrite(30_000);
  expect(await storedUseOf('busy')).toEqual(FIRST);
  await advanceAndWrite(DUE_AFTER_MILLIS - 60_000);
  expect(await storedUseOf('busy')).toEqual(after(30_000));
  await uses.close();
});

test('a use is forgotten once it is written and its minute over', async () => {
  await issue('once');
  note('once');
  await advanceAndWrite(WRITTEN_AFTER_MILLIS);
  await clock.advance(DUE_AFTER_MILLIS);
  await eventually(() => expect(clock.pending).toBe(0));
  expect(uses.latest('once', null)).toBeNull();
  await uses.close();
});

async function issueAndUse(count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, n) => `token ${n}`);
  await someAtATime(ids, issue);
  for (const id of ids) {
    note(id);
  }
}

test('a close writes all uses that are not written yet', async () => {
  await issueAndUse(1_100);
  await uses.close();
  expect(await opened.database.tokens.countDocuments({ lastUsedAt: FIRST })).toBe(1_100);
  expect(clock.pending).toBe(0);
});

test('a slow database does not hold up the close', async () => {
  await issueAndUse(300);
  const write = accessTokens.noteUses.bind(accessTokens);
  const slow = jest.spyOn(accessTokens, 'noteUses').mockImplementation(async (...written) => {
    await write(...written);
    await clock.advance(4_000);
  });
  await uses.close();
  expect(slow).toHaveBeenCalledTimes(1);
});

test('when the time of day is set back, a last use is not moved back, and later uses are still written', async () => {
  await issue('used', after(30_000));
  note('used');
  expect(uses.latest('used', after(30_000))).toEqual(after(30_000));
  await advanceAndWrite(WRITTEN_AFTER_MILLIS);
  expect(await storedUseOf('used')).toEqual(after(30_000));

  const dayBefore = new Date('2026-01-01T12:00:00Z');
  clock.set(dayBefore);
  await issue('another');
  note('another');
  await advanceAndWrite(WRITTEN_AFTER_MILLIS);
  expect(await storedUseOf('another')).toEqual(dayBefore);
  await uses.close();
});

test('a token that was revoked in the meantime stays revoked', async () => {
  note('revoked');
  await uses.close();
  expect(await opened.database.tokens.countDocuments()).toBe(0);
});

test('a use that could not be written is written after the next minute', async () => {
  await issue('used');
  const failing = jest.spyOn(accessTokens, 'noteUses').mockRejectedValue(new Error('disk full'));
  note('used');
  await advanceAndWrite(WRITTEN_AFTER_MILLIS);
  expect(failing).toHaveBeenCalledTimes(1);
  failing.mockRestore();
  expect(await storedUseOf('used')).toBeNull();
  expect(uses.latest('used', null)).toEqual(FIRST);
  await advanceAndWrite(DUE_AFTER_MILLIS);
  expect(await storedUseOf('used')).toEqual(FIRST);
  await uses.close();
});

test('a use after the close leaves no call behind, so the process can end', async () => {
  await uses.close();
  note('late');
  expect(clock.pending).toBe(0);
});
