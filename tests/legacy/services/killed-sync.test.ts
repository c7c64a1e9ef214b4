import { admin } from '../../support/admin-command.ts';
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

/** Where a `sync` is killed when it has given the e-mail of the first account to the second one, and has not remembered that. */
async function killWithinExchange(): Promise<number> {
  for (let kill = 0; ; kill += 1) {
    await begin();
    await exchangeEmails();
    expect(await runSync(world, kill)).toBe('killed');
    const isGiven = { _id: '2', email: 'person.1@example.org' };
    if (await world.app.database.accounts.findOne(isGiven)) {
      return kill;
    }
  }
}

test('two accounts have their e-mails if an exchange was undone between two syncs that were killed', async () => {
  const first = await killWithinExchange();
  for (let second = 0, isKilled = true; isKilled; second += 1) {
    await begin();
    await exchangeEmails();
    await runSync(world, first);
    await undoExchange();
    isKilled = (await runSync(world, second)) === 'killed';
    expect({ second, left: await leftAfterSync() }).toEqual({ second, left: [] });
  }
});
