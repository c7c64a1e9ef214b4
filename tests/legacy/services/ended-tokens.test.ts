import { createHash } from 'node:crypto';
import {
  RevokeOtherTokensDocument,
  RevokeTokenDocument,
} from '../../../packages/client/src/generated/graphql.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated, succeeded } from '../../support/expectations.ts';
import { execute } from '../../support/graphql-api.ts';
import { send } from '../../support/http.ts';
import { CHEAP_PHP_MADE_PASSWORDS } from '../../support/php-made.ts';
import { deleteAccount } from '../../support/privacy.ts';
import { restApi } from '../../support/rest-api.ts';
import { bearer } from '../../support/session.ts';
import { testClock } from '../../support/test-app.ts';
import { LEGACY_ACCOUNTS } from '../support/legacy-people.ts';
import { addAccount, addToken, useMariaDb } from '../support/legacy-service.ts';
import { LEGACY_TOKENS } from '../support/legacy-tokens.ts';
import { type CommandResult, type Move, startMove } from '../support/move.ts';

const { hash, password } = CHEAP_PHP_MADE_PASSWORDS[1];
const A_MINUTE_MILLIS = 60_000;

/** A person with three tokens. */
interface Person {
  id: string;
  email: string;
  tokens: { id: string; plain: string }[];
}

const database = useMariaDb();
let move: Move;
afterEach(() => move.stop());

/** Adds people with three tokens each. */
async function addPeople(count: number): Promise<Person[]> {
  const people: Person[] = [];
  for (let id = 5000; id < 5000 + count; id += 1) {
    const email = `ended.${id}@example.org`;
    await addAccount(move.query, {
      ...LEGACY_ACCOUNTS.patient,
      id,
      email,
      phone: `ended ${id}`,
      password,
      hash,
    });
    const tokens = [1, 2, 3].map((number) => {
      const secret = createHash('sha256').update(`${id} ${number}`).digest('hex').slice(0, 40);
      return { id: String(id * 10 + number), plain: `${id * 10 + number}|${secret}`, secret };
    });
    for (const { id: tokenId, plain, secret } of tokens) {
      const sha256 = createHash('sha256').update(secret).digest('hex');
      const fields = { id: Number(tokenId), accountId: id, plain, secret, hash: sha256 };
      await addToken(move.query, { ...LEGACY_TOKENS.used, ...fields });
    }
    people.push({ id: String(id), email, tokens });
  }
  return people;
}

async function begin(count: number, settings: Record<string, string> = {}): Promise<Person[]> {
  move = await startMove({ RATE_LIMIT: 'off', ...settings }, database);
  const people = await addPeople(count);
  await move.done('import', '--admins', 'skip', '--yes');
  return people;
}

const tokensFound = ({ lines }: CommandResult) =>
  lines
    .filter(({ event, kind }) => event === 'finding' && kind === 'tokens')
    .map(({ id, outcome, reason }) => `${id} ${outcome}: ${reason}`)
    .toSorted();

const tokenIds = async () =>
  new Set((await move.app.database.tokens.find({ imported: true }).toArray()).map(({ _id }) => _id));

const api = () => restApi(move.app.url);
const plainOf = ({ tokens }: Person, index: number) => tokens[index]?.plain ?? '';
const admin = async (...words: string[]) => expect(await move.admin(...words)).toMatchObject({ code: 0 });

const changePassword = async (person: Person, fields: object = {}) =>
  succeeded(
    await api().changePassword(
      { currentPassword: password, newPassword: 'another horse entirely', ...fields },
      `Bearer ${plainOf(person, 0)}`,
    ),
  );
/** A time as the legacy database has it. */
const textOf = (millis: number) => new Date(millis).toISOString().slice(0, 19).replace('T', ' ');

const REVOKED = 'kept: it was revoked here';

/** All that ends tokens, and the reason that `verify` knows. */
const ENDINGS: [name: string, end: (person: Person) => Promise<unknown>, reason: string][] = [
  ['logout', async (one) => succeeded(await api().logout(`Bearer ${plainOf(one, 0)}`)), REVOKED],
  [
    'a revocation by its owner',
    (one) =>
      execute(move.app.url, RevokeTokenDocument, { id: one.tokens[1]?.id ?? '' }, bearer(plainOf(one, 0))),
    REVOKED,
  ],
  [
    'a revocation of all others',
    (one) => execute(move.app.url, RevokeOtherTokensDocument, {}, bearer(plainOf(one, 0))),
    REVOKED,
  ],
  ['a change of the password', (one) => changePassword(one), REVOKED],
  [
    'a reset of the password',
    async ({ id }) => {
      const { stdout } = await move.admin('accounts', 'reset-link', '--id', id, '--json');
      const token = /#token=([\w-]+)/.exec(stdout)?.[1];
      succeeded(await api().resetPassword({ token, newPassword: 'another horse entirely' }));
    },
    REVOKED,
  ],
  [
    'the limit on tokens',
    async ({ email }) => authenticated(await api().login({ email, password })),
    REVOKED,
  ],
  [
    'an operator who revokes one',
    (one) => admin('tokens', 'revoke', '--account', one.id, '--id', one.tokens[0]?.id ?? ''),
    REVOKED,
  ],
  ['an operator who revokes all', ({ id }) => admin('tokens', 'revoke', '--account', id, '--all'), REVOKED],
  [
    'an operator who disables the account',
    ({ id }) => admin('accounts', 'disable', '--id', id),
    'kept: its account is disabled here',
  ],
  [
    'a disabling that is over',
    async ({ id }) => {
      await admin('accounts', 'disable', '--id', id);
      await admin('accounts', 'enable', '--id', id);
    },
    REVOKED,
  ],
  [
    'the closing of the account',
    async (one) =>
      expect(await deleteAccount(move.app.url, plainOf(one, 0), password)).toHaveProperty('erasedAfter'),
    'kept: its account is disabled here',
  ],
  [
    'the erasure of the account',
    ({ id }) => admin('accounts', 'erase', '--id', id, '--now', '--yes'),
    'kept: its account was erased here',
  ],
];

test('a token that has ended here is no difference, whatever has ended it', async () => {
  const people = await begin(ENDINGS.length, {
    MAX_TOKENS_PER_ACCOUNT: '3',
    PASSWORD_RESET_URL: 'https://app.example.org/reset#token={token}',
  });
  const expected: string[] = [];
  for (const [index, person] of people.entries()) {
    const [name = '', end, reason] = ENDINGS[index] ?? [];
    const before = await tokenIds();
    await end?.(person);
    const after = await tokenIds();
    const ended = [...before].filter((id) => !after.has(id));
    expect({ name, ended: ended.length > 0 }).toEqual({ name, ended: true });
    expected.push(...ended.map((id) => `${id} ${reason}`));
  }
  const verified = await move.run('verify');
  expect([verified.code, tokensFound(verified)]).toEqual([0, expected.toSorted()]);

  await admin('tokens', 'revoke', '--everyone', '--yes');
  const all = await move.run('verify');
  expect(all.code).toBe(0);
  expect(tokensFound(all).filter((one) => one.endsWith(REVOKED)).length).toBeGreaterThan(expected.length);
}, 120_000);

test('a token whose time is over is no difference, also if only its idle time was', async () => {
  const people = await begin(1, { TOKEN_IDLE_MINUTES: '1440' });
  const ids = (people[0]?.tokens ?? []).map(({ id }) => id);
  const [, , expiring = ''] = ids;
  // The database removes them in its own time.
  await move.app.database.tokens.deleteMany({ _id: { $in: ids } } as object);
  const verified = await move.run('verify');
  expect([verified.code, tokensFound(verified)]).toEqual([0, ids.map((id) => `${id} kept: it has expired`)]);

  await move.query(
    `UPDATE personal_access_tokens SET created_at = NOW(), expires_at = NOW() - INTERVAL 1 HOUR WHERE id = ${expiring}`,
  );
  expect(tokensFound(await move.run('verify'))).toContain(
    `${expiring} kept: it was changed there and has ended here`,
  );
});

test('a token without a record of its end is lost', async () => {
  const [lost, other, younger, keeper] = (await begin(4)) as [Person, Person, Person, Person];
  const { tokens, db } = move.app.database;
  // Neither an act of somebody else, nor a refused one, nor one that kept all tokens says why a token is not here.
  succeeded(await api().logout(`Bearer ${plainOf(other, 0)}`));
  await admin('tokens', 'revoke', '--account', other.id, '--all');
  await api().login({ email: lost.email, password: 'wrong horse' });
  await execute(move.app.url, RevokeTokenDocument, { id: '4711' }, bearer(plainOf(lost, 0)));
  await move.admin('tokens', 'revoke', '--account', lost.id, '--id', '4711');
  await changePassword(keeper, { revokeOtherTokens: false });
  // Nor does one from before the token was issued.
  await changePassword(younger);
  await move.query('UPDATE personal_access_tokens SET created_at = ?, token = ? WHERE id = ?', [
    textOf(testClock.now() + 60 * A_MINUTE_MILLIS),
    'a'.repeat(64),
    younger.tokens[0]?.id ?? '',
  ]);
  await move.done('sync');
  const ids = [lost.tokens[1], younger.tokens[0], keeper.tokens[1]].map((token) => token?.id ?? '');
  await tokens.deleteMany({ _id: { $in: ids } } as object);

  const verified = await move.run('verify');
  expect(verified.code).toBe(1);
  const lostIn = (result: CommandResult) => tokensFound(result).filter((one) => one.includes(' lost: '));
  expect(lostIn(verified)).toEqual(ids.map((id) => `${id} lost: it is not here, and nothing says why`));
  const summary = verified.lines.find(({ event }) => event === 'summary');
  expect(summary).toMatchObject({ tokens: { different: 3, kept: 5 } });

  // The audit trail is all that is known.
  await db.collection('audit_events').deleteMany({});
  expect(lostIn(await move.run('verify'))).toHaveLength(8);
}, 120_000);

test('a token that was used there and here has the end of its idle time by its last use here', async () => {
  const [person] = (await begin(1, { TOKEN_IDLE_MINUTES: '5256000' })) as [Person];
  const [used, unused] = person.tokens.map(({ id }) => id) as [string, string];
  const { tokens } = move.app.database;
  const idleEndOf = async (id: string) => (await tokens.findOne({ _id: id }))?.idleExpiresAt;
  expect(await idleEndOf(used)).toBeNull();
  await send(`${move.app.url}/api/v1/user`, { headers: bearer(plainOf(person, 0)) });
  // A write that is under way while the clock advances is out of time, and due again a minute later.
  await eventually(async () => {
    await testClock.advance(A_MINUTE_MILLIS);
    expect(await idleEndOf(used)).toEqual(expect.any(Date));
  });
  expect(await move.run('verify')).toMatchObject({ code: 0, found: [] });

  const later = textOf(testClock.now() + 60 * A_MINUTE_MILLIS);
  await move.query(`UPDATE personal_access_tokens SET last_used_at = '${later}' WHERE id = ${used}`);
  expect(tokensFound(await move.run('verify'))).toEqual([`${used} kept: it was used there since`]);
  await move.done('sync');
  expect(await idleEndOf(used)).toBeNull();
  expect(await move.run('verify')).toMatchObject({ code: 0, found: [] });

  await tokens.updateOne({ _id: unused }, { $set: { idleExpiresAt: new Date('2037-12-31T00:00:00Z') } });
  const verified = await move.run('verify');
  expect([verified.code, tokensFound(verified)]).toEqual([1, [`${unused} differs: idleExpiresAt`]]);
});
