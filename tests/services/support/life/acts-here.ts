import { REVIEW_DECISIONS } from '../../../../src/auth/reviews/decisions.ts';
import { emailKey } from '../../../../src/stores/email-key.ts';
import { digestOfHash } from '../../../../src/stores/imported-hash.ts';
import { aPatient, freshPassword } from '../../../support/people.ts';
import { restDoor } from '../../../support/rest-door.ts';
import { bearer } from '../../../support/session.ts';
import { type LifeThere, rowsOf } from './acts-there.ts';

/** What a life remembers of the gateway: what was decided here, and so does not follow the legacy service. */
export interface LifeHere extends LifeThere {
  /** The passwords of accounts, if they were chosen here. */
  passwords: Map<string, string>;
  emails: Set<string>;
  disabled: Set<string>;
  rejected: Set<string>;
  /** The ids of imported tokens that have ended here. */
  ended: Set<string>;
  /** Plain tokens that were issued here. */
  issued: string[];
}

type Act = (life: LifeHere) => Promise<void>;

const accountsOf = ({ world }: LifeHere) => world.app.database.accounts.find().sort({ _id: 1 }).toArray();

/** An account that the legacy service has, and that is enabled here. */
async function anAccount(life: LifeHere) {
  const accounts = await accountsOf(life);
  return life.random.pick(accounts.filter(({ disabledAt }) => !disabledAt));
}

const operatorOf = ({ world }: LifeHere) => world.operator;

/** The password of an account, as far as it is known. */
function passwordOf(
  { world, passwords }: LifeHere,
  account: { _id: string; passwordHash: string; upgradedFrom?: string },
) {
  const digest = account.upgradedFrom ?? digestOfHash(account.passwordHash);
  return (
    passwords.get(account._id) ?? world.passwords.find(({ hash }) => digestOfHash(hash) === digest)?.password
  );
}

const login: Act = async (life) => {
  const account = await anAccount(life);
  const password = account && passwordOf(life, account);
  if (account && password !== undefined) {
    const result = await restDoor(life.world.app.url).login({ email: account.email.trimEnd(), password });
    expect(result).toMatchObject({ ok: true });
    life.issued.push(...(result.ok && result.token !== undefined ? [result.token] : []));
  }
};

/** The plain text of a token that somebody may have, whether it is valid or not. */
const aToken = ({ random, secrets, issued }: LifeHere): string | undefined => {
  const imported = [...secrets].map(([id, secret]) => `${id}|${secret}`);
  return random.pick([...imported, ...issued]);
};

const logout: Act = async (life) => {
  const token = aToken(life);
  if (token !== undefined) {
    await restDoor(life.world.app.url).logout(bearer(token).Authorization);
  }
};

const register: Act = async ({ world, issued, passwords }) => {
  const id = world.nextId();
  const fields = aPatient({ email: `here.${id}@example.org`, phone: `+3 ${id}` });
  const result = await restDoor(world.app.url).registerPatient(fields);
  expect(result).toMatchObject({ ok: true });
  if (result.ok) {
    issued.push(result.token ?? '');
    passwords.set(String(result.account?.id), fields.password);
  }
};

const changePassword: Act = async (life) => {
  const { world, secrets, issued, passwords } = life;
  const account = await anAccount(life);
  const tokens = account ? await world.app.database.tokens.find({ accountId: account._id }).toArray() : [];
  const stored = life.random.pick(tokens.filter(({ abilities }) => abilities?.includes('*') ?? true));
  const plain =
    stored?.imported && secrets.has(stored._id)
      ? `${stored._id}|${secrets.get(stored._id)}`
      : issued.find((one) => one.startsWith(`${stored?._id}|`));
  const currentPassword = account && passwordOf(life, account);
  if (account && plain !== undefined && currentPassword !== undefined) {
    const newPassword = freshPassword();
    const result = await restDoor(world.app.url).changePassword(
      { currentPassword, newPassword },
      `Bearer ${plain}`,
    );
    expect(result).toMatchObject({ ok: true });
    passwords.set(account._id, newPassword);
  }
};

const review: Act = async (life) => {
  const { world, random, rejected } = life;
  const reviews = await operatorOf(life).openReviews();
  const { doctors } = await reviews.page({ status: 'pending', first: 5 });
  const doctor = random.pick(doctors);
  if (doctor) {
    const { account, revision } = doctor;
    const { written } = await reviews.decide(
      { id: account.id, revision, decision: REVIEW_DECISIONS.REJECT, reason: 'Unreadable.' },
      world.operator.operator,
    );
    await written;
    rejected.add(account.id);
  }
};

const disable: Act = async (life) => {
  const { directory, accounts, operator } = operatorOf(life);
  const account = life.random.pick(await accountsOf(life));
  if (account) {
    await accounts.disable(await directory.find({ accountId: account._id }), operator);
    life.disabled.add(account._id);
  }
};

const enable: Act = async (life) => {
  const { directory, accounts, operator } = operatorOf(life);
  const id = life.random.pick([...life.disabled]);
  const account =
    id === undefined ? undefined : await directory.find({ accountId: id }).catch(() => undefined);
  if (account && !account.legacyAbsence && (await accounts.enable(account, operator))) {
    life.disabled.delete(account.id);
  }
};

const setEmail: Act = async (life) => {
  const { directory, accounts, operator } = operatorOf(life);
  const account = await anAccount(life);
  if (account) {
    const email = `chosen.${life.world.nextId()}@example.org`;
    await accounts.setEmail(await directory.find({ accountId: account._id }), email, operator);
    life.emails.add(account._id);
  }
};

/** An operator gives somebody an e-mail that is free here, but that somebody else has there. */
const takeEmail: Act = async (life) => {
  const { directory, accounts, operator } = operatorOf(life);
  const account = await anAccount(life);
  const rows = await rowsOf(life.world, 'accounts');
  const held = new Set((await accountsOf(life)).map((one) => one.emailKey));
  const row = life.random.pick(rows.filter(({ email }) => !held.has(emailKey(String(email)))));
  if (account && row) {
    const email = String(row.email).trimEnd();
    await accounts.setEmail(await directory.find({ accountId: account._id }), email, operator);
    life.emails.add(account._id);
  }
};

const erase: Act = async (life) => {
  const account = life.random.pick(await accountsOf(life));
  if (account) {
    const leaving = await operatorOf(life).openLeaving();
    await leaving.erase({ id: account._id, email: account.email }, operatorOf(life).operator);
  }
};

/** Operators let a pair or a ring of accounts pass its e-mails on. */
const exchangeEmails: Act = async (life) => {
  const { directory, accounts, operator } = operatorOf(life);
  const enabled = (await accountsOf(life)).filter(({ legacyAbsence }) => !legacyAbsence);
  const ring = life.random.some(enabled, 2 + life.random.below(3));
  const give = async (id: string, email: string) =>
    accounts.setEmail(await directory.find({ accountId: id }), email, operator);
  for (const { _id } of ring) {
    await give(_id, `leaving.${_id}.${life.world.nextId()}@example.org`);
  }
  for (const [index, { _id }] of ring.entries()) {
    await give(_id, ring[(index + 1) % ring.length]?.email.trimEnd() ?? '');
    life.emails.add(_id);
  }
};

/** All that people and operators do here, by its name. */
const ACTS: Record<string, Act> = {
  login,
  logout,
  'log out again': logout,
  register,
  'change a password': changePassword,
  reject: review,
  disable,
  enable,
  'set an e-mail': setEmail,
  'take an e-mail': takeEmail,
  erase,
};

/** Those that need not be followed by a `sync`, because only the way back shows them. */
const ACTS_BEFORE_BACK: Record<string, Act> = {
  ...ACTS,
  'take an e-mail': exchangeEmails,
  'exchange e-mails': exchangeEmails,
};

/** Operators give another e-mail to the accounts that have those of others there. */
export async function freeEmails(life: LifeHere, keys: readonly string[]): Promise<void> {
  const { directory, accounts, operator } = operatorOf(life);
  for (const { _id } of (await accountsOf(life)).filter((account) => keys.includes(account.emailKey))) {
    const email = `freed.${life.world.nextId()}@example.org`;
    await accounts.setEmail(await directory.find({ accountId: _id }), email, operator);
    life.emails.add(_id);
  }
}

/** Runs an act here, and notes the imported tokens that it has ended. */
async function act(life: LifeHere, acts: Record<string, Act>): Promise<string> {
  const { tokens } = life.world.app.database;
  const imported = async () => (await tokens.find({ imported: true }).toArray()).map(({ _id }) => _id);
  const before = await imported();
  const [name = '', run] = life.random.pick(Object.entries(acts)) ?? [];
  await run?.(life);
  const left = new Set(await imported());
  for (const id of before.filter((one) => !left.has(one))) {
    life.ended.add(id);
  }
  return name;
}

export const actHere = (life: LifeHere): Promise<string> => act(life, ACTS);
export const actBeforeBack = (life: LifeHere): Promise<string> => act(life, ACTS_BEFORE_BACK);
