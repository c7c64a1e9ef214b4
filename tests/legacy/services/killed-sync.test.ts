import { jest } from '@jest/globals';
import type { Batch } from '../../../src/legacy/journal/batch.ts';
import type { Journal } from '../../../src/legacy/journal/journal.ts';
import { TOKENS } from '../../../src/legacy/records/token-kind.ts';
import { admin } from '../../support/admin-command.ts';
import { Killed } from '../../support/kill-switch.ts';
import { storedDocuments } from '../../support/test-app.ts';
import { addLegacyRows } from '../support/legacy-tables.mjs';
import { runImport, runSync, runVerify } from '../support/life/commands.ts';
import { openWorld, type World } from '../support/life/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world?.stop());

/** Imports two accounts with one token each. */
async function begin(): Promise<void> {
  await world.reset();
  await addLegacyRows(world.legacy.query, { accounts: 2, tokens: 2, doctorEvery: 0 });
  await runImport(world, undefined);
}

const exchangeEmails = () =>
  world.legacy.query(
    `UPDATE accounts SET email = 'moving@example.org' WHERE id = 1;
     UPDATE accounts SET email = 'person.1@example.org' WHERE id = 2;
     UPDATE accounts SET email = 'person.2@example.org' WHERE id = 1`,
  );
const undoExchange = () =>
  world.legacy.query(
    `UPDATE accounts SET email = 'moving@example.org' WHERE id = 1;
     UPDATE accounts SET email = 'person.2@example.org' WHERE id = 2;
     UPDATE accounts SET email = 'person.1@example.org' WHERE id = 1`,
  );

/** The differences that `verify` finds after one more `sync`. */
async function leftAfterSync(): Promise<unknown[]> {
  await runSync(world);
  await runVerify(world);
  return world.found.filter(({ outcome }) => outcome !== 'kept');
}

/** Lets a command be killed before it remembers a batch. */
function killAtPut(journal: Journal, isDue: (batch: Batch) => boolean): void {
  const put = journal.put.bind(journal);
  jest.spyOn(journal, 'put').mockImplementation(async (batch) => {
    if (isDue(batch)) {
      throw new Killed();
    }
    return put(batch);
  });
}

/** A `sync` that is killed while the row of a token is gone, which returns then. @returns whether it was killed, and the row */
async function syncWithoutRow(kill: number): Promise<{ isKilled: boolean; row: Record<string, unknown> }> {
  await begin();
  const [row = {}] = await world.legacy.query('SELECT * FROM personal_access_tokens WHERE id = 2');
  await world.legacy.query('DELETE FROM personal_access_tokens WHERE id = 2');
  const isKilled = (await runSync(world, kill)) === 'killed';
  await world.legacy.query('INSERT INTO personal_access_tokens SET ?', [row]);
  return { isKilled, row };
}

test('a token is here if its row has returned after a sync that was killed', async () => {
  for (let kill = 0, isKilled = true; isKilled; kill += 1) {
    ({ isKilled } = await syncWithoutRow(kill));
    expect({ kill, left: await leftAfterSync() }).toEqual({ kill, left: [] });
    expect({ kill, tokens: await world.app.database.tokens.countDocuments() }).toEqual({ kill, tokens: 2 });
  }
});

test('a token that was revoked here after a sync that was killed does not return with its row', async () => {
  const settings = () => ({ MONGODB_URI: world.app.database.uri, STORAGE_DIR: world.app.storageDir });
  for (let kill = 0, isKilled = true; isKilled; kill += 1) {
    const { row, ...ended } = await syncWithoutRow(kill);
    isKilled = ended.isKilled;
    const wasHere = (await world.app.database.tokens.countDocuments({ _id: '2' })) === 1;
    const account = String(row.tokenable_id);
    await admin(settings(), 'tokens', 'revoke', '--account', account, '--id', '2');
    await runSync(world);
    const isHere = (await world.app.database.tokens.countDocuments({ _id: '2' })) === 1;
    expect({ kill, isHere: wasHere && isHere }).toEqual({ kill, isHere: false });
  }
});

test('a token is revoked whose row left, returned and left again, and whose syncs were killed', async () => {
  const { row } = await syncWithoutRow(0);
  await world.legacy.query('DELETE FROM personal_access_tokens WHERE id = 2');
  const beforeRemoval = await runSync(world, undefined, ({ stores }) => {
    jest.spyOn(TOKENS.stored(stores), 'removeIfUnchanged').mockRejectedValueOnce(new Killed());
  });
  await world.legacy.query('INSERT INTO personal_access_tokens SET ?', [{ ...row, name: 'changed' }]);
  const afterChange = await runSync(world, undefined, ({ journal }) =>
    killAtPut(journal, ({ kind, isOpen }) => kind === 'tokens' && !isOpen),
  );
  expect([beforeRemoval, afterChange]).toEqual(['killed', 'killed']);
  expect(await world.app.database.tokens.findOne({ _id: '2' })).toMatchObject({ name: 'changed' });
  await world.legacy.query('DELETE FROM personal_access_tokens WHERE id = 2');
  expect(await leftAfterSync()).toEqual([]);
  expect(await world.app.database.tokens.countDocuments()).toBe(1);
});

/** Where a `sync` is killed when it has written a change of an account, and has not remembered that. */
async function killAfterWrite(change: () => Promise<unknown>, written: object): Promise<number> {
  for (let kill = 0; ; kill += 1) {
    await begin();
    await change();
    expect(await runSync(world, kill)).toBe('killed');
    if (await world.app.database.accounts.findOne(written)) {
      return kill;
    }
  }
}

test('two accounts have their e-mails if an exchange was undone between two syncs that were killed', async () => {
  const first = await killAfterWrite(exchangeEmails, { _id: '2', email: 'person.1@example.org' });
  for (let second = 0, isKilled = true; isKilled; second += 1) {
    await begin();
    await exchangeEmails();
    await runSync(world, first);
    await undoExchange();
    isKilled = (await runSync(world, second)) === 'killed';
    expect({ second, left: await leftAfterSync() }).toEqual({ second, left: [] });
  }
});

describe('after a sync that was killed when it had written another name and time of an account', () => {
  const setName = (name: string, time: string) =>
    world.legacy.query('UPDATE accounts SET name = ?, created_at = ? WHERE id = 1', [name, time]);
  const change = () => setName('Changed', '2020-02-03 04:05:06');
  const accountHere = async () => {
    const account = await world.app.database.accounts.findOne({ _id: '1' });
    const { name, createdAt, email } = account ?? {};
    return { name, createdAt: createdAt?.toISOString(), email };
  };
  const setEmailHere = async () => {
    const { directory, accountAdmin, operator } = world.operator;
    await accountAdmin.setEmail(await directory.find({ accountId: '1' }), 'chosen@example.org', operator);
  };
  let former: Awaited<ReturnType<typeof accountHere>>;
  let row: Record<string, unknown>;
  beforeEach(async () => {
    await begin();
    former = await accountHere();
    [row = {}] = await world.legacy.query('SELECT * FROM accounts WHERE id = 1');
    await killAfterWrite(change, { _id: '1', name: 'Changed' });
  });
  const restoreRow = () => setName(String(row.name), String(row.created_at));

  test('both follow the row, and the e-mail that was set here since stays', async () => {
    await restoreRow();
    await setEmailHere();
    await runSync(world);
    expect(await accountHere()).toEqual({ ...former, email: 'chosen@example.org' });
  });

  test('both follow the row, wherever the next syncs are killed', async () => {
    await restoreRow();
    await setEmailHere();
    for (let second = 0, isKilled = true; isKilled; second += 2) {
      isKilled = (await runSync(world, second)) === 'killed';
    }
    expect(await accountHere()).toEqual({ ...former, email: 'chosen@example.org' });
  });

  test('both follow the row if it was gone for a round', async () => {
    await world.legacy.query('DELETE FROM accounts WHERE id = 1');
    await runSync(world);
    await world.legacy.query('INSERT INTO accounts SET ?', [row]);
    await runSync(world);
    expect(await accountHere()).toEqual(former);
  });

  test('they stay if the row has them still, beside the e-mail that was set here since', async () => {
    const { createdAt } = await accountHere();
    await setEmailHere();
    await runSync(world);
    expect(await accountHere()).toEqual({ name: 'Changed', createdAt, email: 'chosen@example.org' });
  });
});

describe('after a sync that was killed when it had let an account return', () => {
  const leave = () => world.legacy.query('DELETE FROM accounts WHERE id = 1');
  let row: Record<string, unknown>;
  beforeEach(async () => {
    await begin();
    [row = {}] = await world.legacy.query('SELECT * FROM accounts WHERE id = 1');
    await leave();
    await runSync(world);
    await world.legacy.query('INSERT INTO accounts SET ?', [row]);
    // The account is written, and its row is not remembered yet.
    const isKilled = await runSync(world, undefined, ({ audit }) => {
      jest.spyOn(audit, 'write').mockRejectedValueOnce(new Killed());
    });
    expect(isKilled).toBe('killed');
    expect(await world.app.database.accounts.findOne({ _id: '1' })).not.toHaveProperty('legacyAbsence');
  });

  test.each([
    ['leaves again', leave],
    [
      'is marked there as deleted',
      () => world.legacy.query('UPDATE accounts SET deleted_at = NOW() WHERE id = 1'),
    ],
  ])(
    'it is absent and its e-mail is free if its row %s, wherever the next syncs are killed',
    async (_, change) => {
      await change();
      await world.legacy.query("UPDATE accounts SET email = 'former@example.org' WHERE id = 1");
      await world.legacy.query('INSERT INTO accounts SET ?', [{ ...row, id: 3, phone: '+3' }]);
      for (let kill = 0, isKilled = true; isKilled; kill += 3) {
        isKilled = (await runSync(world, kill)) === 'killed';
      }
      const { accounts } = world.app.database;
      expect(await accounts.findOne({ _id: '1' })).toMatchObject({ emailKey: 'absent:1', legacyAbsence: {} });
      expect(await accounts.findOne({ _id: '3' })).toMatchObject({ email: row.email });
      expect(await leftAfterSync()).toEqual([]);
    },
  );
});

describe('a token is here whose account was gone there while its row was read, and is there again', () => {
  const takeAway = async (id: number) => {
    const [row = {}] = await world.legacy.query('SELECT * FROM accounts WHERE id = ?', [id]);
    await world.legacy.query('DELETE FROM accounts WHERE id = ?', [id]);
    return () => world.legacy.query('INSERT INTO accounts SET ?', [row]);
  };

  /** A `sync` that loses the row of an account before it first calls a method of the journal for the tokens. */
  const syncWithout = async (id: number, method: 'open' | 'last') => {
    let giveBack: Awaited<ReturnType<typeof takeAway>> | undefined;
    await runSync(world, undefined, ({ journal }) => {
      const call = journal[method].bind(journal) as (...words: unknown[]) => Promise<never>;
      jest.spyOn(journal, method).mockImplementation(async (...words: unknown[]) => {
        if (words[0] === 'tokens') {
          giveBack ??= await takeAway(id);
        }
        return call(...words);
      });
    });
    await giveBack?.();
  };

  test('in an import, wherever it is killed', async () => {
    for (let kill = 0, isKilled = true; isKilled; kill += 1) {
      await world.reset();
      await addLegacyRows(world.legacy.query, { accounts: 2, tokens: 2, doctorEvery: 0 });
      isKilled = (await runImport(world, kill)) === 'killed';
      const giveBack = await takeAway(1);
      await runImport(world, undefined);
      await giveBack();
      expect({ kill, left: await leftAfterSync() }).toEqual({ kill, left: [] });
      expect({ kill, tokens: await world.app.database.tokens.countDocuments() }).toEqual({ kill, tokens: 2 });
    }
  });

  test('in a sync that takes a new token', async () => {
    await begin();
    await world.legacy.query(
      `INSERT INTO personal_access_tokens SELECT 3, tokenable_type, 1, name, SHA2('3', 256), abilities, NULL, NULL, created_at,
       updated_at FROM personal_access_tokens WHERE id = 1`,
    );
    await syncWithout(1, 'last');
    expect(await world.app.database.tokens.findOne({ _id: '3' })).toBeNull();
    expect(await leftAfterSync()).toEqual([]);
    expect(await world.app.database.tokens.findOne({ _id: '3' })).toMatchObject({ accountId: '1' });
  });

  test('in a sync that finds a token with another account', async () => {
    await begin();
    await world.legacy.query('UPDATE personal_access_tokens SET tokenable_id = 2 WHERE id = 1');
    await syncWithout(2, 'open');
    expect(await leftAfterSync()).toEqual([]);
    expect(await world.app.database.tokens.findOne({ _id: '1' })).toMatchObject({ accountId: '2' });
  });
});

describe('after an import that was killed when it had stored profiles without remembering that', () => {
  const FIELDS = ['license_file_path', 'diploma_file_path', 'certification_file_path'] as const;
  const paths = () => world.files.slice(0, FIELDS.length);
  beforeEach(async () => {
    await world.reset();
    await addLegacyRows(world.legacy.query, { accounts: 2, doctorEvery: 2 });
    const named = FIELDS.map((field) => `${field} = ?`).join(', ');
    await world.legacy.query(`UPDATE doctor_profiles SET ${named}`, paths());
    const isKilled = await runImport(world, undefined, ({ journal }) =>
      killAtPut(journal, ({ kind }) => kind === 'profiles'),
    );
    expect(isKilled).toBe('killed');
    expect(await world.app.database.profiles.countDocuments()).toBe(1);
  });

  test('the documents of a doctor are here if the next import finds another text', async () => {
    await world.legacy.query("UPDATE doctor_profiles SET specialization = 'Surgery'");
    await runImport(world, undefined);
    expect(await leftAfterSync()).toEqual([]);
    expect(await storedDocuments(world.app)).toEqual(paths().sort());
    expect(await world.app.database.profiles.findOne()).toMatchObject({ specialization: 'Surgery' });
  });

  test('the documents of a doctor are here if the next import finds no row, which returns', async () => {
    const [row = {}] = await world.legacy.query('SELECT * FROM doctor_profiles');
    await world.legacy.query('DELETE FROM doctor_profiles');
    await runImport(world, undefined);
    await world.legacy.query('INSERT INTO doctor_profiles SET ?', [row]);
    expect(await leftAfterSync()).toEqual([]);
    expect(await storedDocuments(world.app)).toEqual(paths().sort());
  });
});
