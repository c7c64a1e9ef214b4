import { emailKey } from '../../../../src/stores/email-key.ts';
import { A_NOTE } from '../../../support/event-note.ts';
import { aPatient, freshPassword } from '../../../support/people.ts';
import { restApi } from '../../../support/rest-api.ts';
import { bearer } from '../../../support/session.ts';
import { testClock } from '../../../support/test-app.ts';
import { decideAsOperator, decideAsReviewer, resubmitDocuments } from './acts-of-doctors.ts';
import { isOverHere, letHoursPass, letIdleTimePass, removeOver, useToken } from './acts-of-time.ts';
import { rowsOf } from './acts-there.ts';
import {
  type ActHere,
  accountsOf,
  anAccount,
  aToken,
  type LifeHere,
  loginTo,
  passwordOf,
} from './life-here.ts';

const operatorOf = ({ world }: LifeHere) => world.operator;

const login: ActHere = async (life) => {
  const account = await anAccount(life);
  await (account && loginTo(life, account));
};

const logout: ActHere = async (life) => {
  const token = aToken(life);
  if (token !== undefined) {
    await restApi(life.world.app.url).logout(bearer(token).Authorization);
  }
};

const register: ActHere = async ({ world, issued, passwords }) => {
  const id = world.nextId();
  const fields = aPatient({ email: `here.${id}@example.org`, phone: `+3 ${id}` });
  const result = await restApi(world.app.url).registerPatient(fields);
  expect(result).toMatchObject({ ok: true });
  if (result.ok) {
    issued.push(result.token ?? '');
    passwords.set(String(result.account?.id), fields.password);
  }
};

const changePassword: ActHere = async (life) => {
  const { world, secrets, issued, passwords } = life;
  const account = await anAccount(life);
  const tokens = account ? await world.app.database.tokens.find({ accountId: account._id }).toArray() : [];
  const stored = life.random.pick(
    tokens.filter((token) => !isOverHere(token) && (token.abilities?.includes('*') ?? true)),
  );
  const plain =
    stored?.imported && secrets.has(stored._id)
      ? `${stored._id}|${secrets.get(stored._id)}`
      : issued.find((one) => one.startsWith(`${stored?._id}|`));
  const currentPassword = account && passwordOf(life, account);
  if (account && plain !== undefined && currentPassword !== undefined) {
    const newPassword = freshPassword();
    const result = await restApi(world.app.url).changePassword(
      { currentPassword, newPassword },
      `Bearer ${plain}`,
    );
    expect(result).toMatchObject({ ok: true });
    passwords.set(account._id, newPassword);
  }
};

const disable: ActHere = async (life) => {
  const { directory, accountAdmin, operator } = operatorOf(life);
  const account = life.random.pick(await accountsOf(life));
  if (account) {
    await accountAdmin.disable(await directory.find({ accountId: account._id }), operator);
    life.disabled.add(account._id);
  }
};

const enable: ActHere = async (life) => {
  const { directory, accountAdmin, operator } = operatorOf(life);
  const id = life.random.pick([...life.disabled]);
  const account =
    id === undefined ? undefined : await directory.find({ accountId: id }).catch(() => undefined);
  if (account && !account.legacyAbsence && (await accountAdmin.enable(account, operator))) {
    life.disabled.delete(account.id);
  }
};

/** An operator has given an account another e-mail, which nobody has proven. */
function noteEmail({ emails, proofs }: LifeHere, id: string): void {
  emails.add(id);
  proofs.delete(id);
}

/** Some people use the links that were mailed to them. */
const prove: ActHere = async (life) => {
  const enabled = (await accountsOf(life)).filter(({ disabledAt }) => !disabledAt);
  for (const account of life.random.some(enabled, 3)) {
    const now = new Date(testClock.now() + life.random.below(1_000));
    if (await life.world.proveEmail(account, now, A_NOTE)) {
      life.proofs.set(account._id, { emailKey: account.emailKey, at: now });
    }
  }
};

const setEmail: ActHere = async (life) => {
  const { directory, accountAdmin, operator } = operatorOf(life);
  const account = await anAccount(life);
  if (account) {
    const email = `chosen.${life.world.nextId()}@example.org`;
    await accountAdmin.setEmail(await directory.find({ accountId: account._id }), email, operator);
    noteEmail(life, account._id);
  }
};

/** An operator gives somebody an e-mail that is free here, but that somebody else has there. */
const takeEmail: ActHere = async (life) => {
  const { directory, accountAdmin, operator } = operatorOf(life);
  const account = await anAccount(life);
  const rows = await rowsOf(life.world, 'accounts');
  const held = new Set((await accountsOf(life)).map((one) => one.emailKey));
  const row = life.random.pick(rows.filter(({ email }) => !held.has(emailKey(String(email)))));
  if (account && row) {
    const email = String(row.email).trimEnd();
    await accountAdmin.setEmail(await directory.find({ accountId: account._id }), email, operator);
    noteEmail(life, account._id);
  }
};

const erase: ActHere = async (life) => {
  const account = life.random.pick(await accountsOf(life));
  if (account) {
    const { leaving, operator } = life.world;
    await leaving.erase({ id: account._id, email: account.email }, operator.operator);
  }
};

/** Operators let a pair or a ring of accounts pass its e-mails on. */
const exchangeEmails: ActHere = async (life) => {
  const { directory, accountAdmin, operator } = operatorOf(life);
  const enabled = (await accountsOf(life)).filter(({ legacyAbsence }) => !legacyAbsence);
  const ring = life.random.some(enabled, 2 + life.random.below(3));
  const give = async (id: string, email: string) =>
    accountAdmin.setEmail(await directory.find({ accountId: id }), email, operator);
  for (const { _id } of ring) {
    await give(_id, `leaving.${_id}.${life.world.nextId()}@example.org`);
  }
  for (const [index, { _id }] of ring.entries()) {
    await give(_id, ring[(index + 1) % ring.length]?.email.trimEnd() ?? '');
    noteEmail(life, _id);
  }
};

/** All that people and operators do here, by its name. */
const ACTS: Record<string, ActHere> = {
  login,
  logout,
  'log out again': logout,
  register,
  'change a password': changePassword,
  'decide as a reviewer': decideAsReviewer,
  'decide as an operator': decideAsOperator,
  'submit documents again': resubmitDocuments,
  disable,
  enable,
  'set an e-mail': setEmail,
  'take an e-mail': takeEmail,
  erase,
  'prove an e-mail': prove,
  'prove another e-mail': prove,
  'use a token': useToken,
  'let hours pass': letHoursPass,
  'remove what is over': removeOver,
};

/** As good as the end of a life: most tokens end. */
const RARE: Record<string, ActHere> = { 'let idle time pass': letIdleTimePass };

/** Those that need not be followed by a `sync`, because only the way back shows them. */
const ACTS_BEFORE_BACK: Record<string, ActHere> = {
  ...ACTS,
  'take an e-mail': exchangeEmails,
  'exchange e-mails': exchangeEmails,
};

/** Operators give another e-mail to the accounts that have those of others there. */
export async function freeEmails(life: LifeHere, keys: readonly string[]): Promise<void> {
  const { directory, accountAdmin, operator } = operatorOf(life);
  for (const { _id } of (await accountsOf(life)).filter((account) => keys.includes(account.emailKey))) {
    const email = `freed.${life.world.nextId()}@example.org`;
    await accountAdmin.setEmail(await directory.find({ accountId: _id }), email, operator);
    noteEmail(life, _id);
  }
}

/** Runs an act here, and notes the imported tokens that it has ended. */
async function act(life: LifeHere, acts: Record<string, ActHere>): Promise<string> {
  const { tokens } = life.world.app.database;
  const imported = async () => (await tokens.find({ imported: true }).toArray()).map(({ _id }) => _id);
  const before = await imported();
  const [name = '', run] = life.random.pick(Object.entries(life.random.percent(3) ? RARE : acts)) ?? [];
  await run?.(life);
  const left = new Set(await imported());
  for (const id of before.filter((one) => !left.has(one))) {
    life.ended.add(id);
  }
  return name;
}

export const actHere = (life: LifeHere): Promise<string> => act(life, ACTS);
export const actBeforeBack = (life: LifeHere): Promise<string> => act(life, ACTS_BEFORE_BACK);
