import { isDeepStrictEqual } from 'node:util';
import {
  type AccountState,
  AccountStore,
  asAbsent,
  asReturned,
  type StoredAccount,
  stateOf,
  TRANSITIONS,
} from '../../src/stores/accounts.ts';
import { emailKey } from '../../src/stores/email-key.ts';
import type { EventNote } from '../../src/stores/event-notes.ts';
import { createIndexes } from '../../src/stores/indexes.ts';
import { useDatabase } from '../support/database.ts';
import { A_NOTE } from '../support/event-note.ts';

const opened = useDatabase();
beforeAll(() => createIndexes(opened.connection));

const EARLIER = new Date('2026-05-01T00:00:00Z');
const NOW = new Date('2026-06-01T00:00:00Z');
const LATER = new Date('2026-07-01T00:00:00Z');

type Fields = Partial<StoredAccount>;

/** An account in each state, and in those that differ in what it was before. `due` is closed, and its time has come. */
const ACCOUNTS: Record<string, Fields> = {
  active: {},
  disabled: { disabledAt: EARLIER },
  closed: { disabledAt: EARLIER, erasureDueAt: LATER },
  'closed by its owner': { disabledAt: EARLIER, erasureDueAt: LATER, closedByOwner: true },
  due: { disabledAt: EARLIER, erasureDueAt: EARLIER },
  absent: { disabledAt: EARLIER, legacyAbsence: { since: EARLIER, disabledAt: null } },
  'absent, was disabled': {
    disabledAt: EARLIER,
    legacyAbsence: { since: EARLIER, disabledAt: EARLIER },
  },
  'absent, was closed and is due': {
    disabledAt: EARLIER,
    erasureDueAt: EARLIER,
    legacyAbsence: { since: EARLIER, disabledAt: EARLIER },
  },
  'being erased': { disabledAt: EARLIER, erasureDueAt: EARLIER, erasingSince: EARLIER },
  'absent and being erased': {
    disabledAt: EARLIER,
    erasureDueAt: EARLIER,
    erasingSince: EARLIER,
    legacyAbsence: { since: EARLIER, disabledAt: null },
  },
};

/** Each verb that changes a record, as its callers use it. */
const VERBS: Record<string, (store: AccountStore, account: StoredAccount) => Promise<unknown>> = {
  disable: (store, { _id }) => store.disable(_id, NOW, A_NOTE),
  enable: (store, { _id }) => store.enable(_id, A_NOTE),
  close: (store, account) => store.close(account, NOW, LATER, A_NOTE),
  closeAsOperator: (store, { _id }) => store.closeAsOperator(_id, NOW, LATER, A_NOTE),
  beginErasure: (store, { _id }) => store.beginErasure(_id, NOW),
  beginErasureNow: (store, { _id }) => store.beginErasureNow(_id, NOW),
  finishErasure: (store, { _id }) => store.finishErasure(_id),
  finishSetUp: (store, account) =>
    store.finishSetUp(account, { passwordHash: 'new', factors: { app: 'app', codes: 'codes' } }, NOW, A_NOTE),
  setEmail: (store, { _id, email }) => store.setEmail(_id, email, `new-${email}`, NOW, A_NOTE),
  setPassword: (store, account) =>
    store.setPassword(account, { passwordHash: 'new', knownPlaces: [], firstProof: A_NOTE }, NOW),
};

/** The note that a verb stores if it changes the state. */
const NOTES: Record<string, EventNote | undefined> = {
  ...{ disable: A_NOTE, enable: A_NOTE, close: A_NOTE, closeAsOperator: A_NOTE, finishSetUp: A_NOTE },
  setPassword: { ...A_NOTE, act: 'enabling' },
};

let accounts = 0;

/** Stores an account in a state, without the verbs that are tested. */
async function anAccount(fields: Fields): Promise<StoredAccount> {
  accounts += 1;
  const email = `person-${accounts}@example.org`;
  const account = {
    _id: `account ${accounts}`,
    name: 'Pat Ient',
    email,
    emailKey: fields.legacyAbsence ? `absent:account ${accounts}` : emailKey(email),
    phone: null,
    role: 'patient',
    passwordHash: 'hash',
    createdAt: EARLIER,
    updatedAt: EARLIER,
    disabledAt: null,
    ...fields,
  } as const;
  await opened.database.accounts.insertOne({ ...account });
  return account;
}

const read = ({ _id }: StoredAccount) => opened.database.accounts.findOne({ _id });
const stateIn = (record: StoredAccount | null) => (record ? stateOf(record) : 'none');
const store = () => new AccountStore(opened);
const stateFieldsOf = (record: StoredAccount | null) =>
  record && {
    disabledAt: record.disabledAt,
    erasureDueAt: record.erasureDueAt ?? null,
    erasingSince: record.erasingSince ?? null,
    legacyAbsence: record.legacyAbsence ?? null,
  };

/** What the table of transitions says about a verb and an account. */
function expectedOf(verb: string, before: Fields): readonly (AccountState | 'none')[] | undefined {
  const from = stateOf(before);
  const row = TRANSITIONS.find((one) => one.verb === verb && one.from.includes(from));
  const isDue = before.erasureDueAt !== undefined && Number(before.erasureDueAt) <= Number(NOW);
  if (!row || (verb === 'beginErasure' && !isDue)) {
    return undefined;
  }
  return row.to === 'none' ? ['none'] : row.to;
}

/** Where an account stays as it is although the table has its state: an earlier decision of the same kind stands. */
const STANDS = [
  'disable absent, was disabled',
  'disable absent, was closed and is due',
  'closeAsOperator absent, was closed and is due',
  // Its e-mail was proven when it was closed.
  'setPassword closed',
  'setPassword due',
];
/** Where it stays in its state, but no mailed reset opens it any more. */
const DECIDED = ['disable closed by its owner', 'closeAsOperator closed by its owner'];
/** Changes within a state. The table is about states. */
const WITHIN: Record<string, readonly AccountState[]> = {
  setEmail: ['active', 'disabled', 'closed'],
  setPassword: ['active'],
};

const CASES = Object.keys(VERBS).flatMap((verb) =>
  Object.keys(ACCOUNTS).map((name) => [verb, name] as const),
);

describe.each(CASES)('%s of an account that is %s', (verb, name) => {
  const fields = ACCOUNTS[name] ?? {};
  const act = VERBS[verb] as NonNullable<(typeof VERBS)[string]>;
  const stands = STANDS.includes(`${verb} ${name}`);
  const isDecided = DECIDED.includes(`${verb} ${name}`);
  const isWithin = isDecided || (WITHIN[verb]?.includes(stateOf(fields)) ?? false);
  const expected = stands ? undefined : expectedOf(verb, fields);

  test('does what the table says', async () => {
    const account = await anAccount(fields);
    const before = await read(account);
    await act(store(), account);
    const after = await read(account);
    if (expected === undefined && !isWithin) {
      expect(after).toEqual(before);
    } else {
      expect(expected ?? [stateOf(fields)]).toContain(stateIn(after));
      expect(after).not.toEqual(before);
    }
    const note = NOTES[verb];
    if (after && note && stateOf(after) !== stateOf(fields)) {
      expect(after.eventNotes).toEqual([note]);
    }
  });

  test('leaves the same record when it runs twice at once', async () => {
    const [once, twice] = [await anAccount(fields), await anAccount(fields)];
    await act(store(), once);
    await Promise.all([act(store(), twice), act(store(), twice)]);
    expect(stateIn(await read(twice))).toBe(stateIn(await read(once)));
  });
});

test('of two simultaneous disablings, enablings and closings exactly one succeeds', async () => {
  const active = await anAccount({});
  const disabled = await anAccount({ disabledAt: EARLIER });
  const owner = await anAccount({});
  const both = async (act: () => Promise<boolean>) => (await Promise.all([act(), act()])).filter(Boolean);
  expect(await both(() => store().disable(active._id, NOW, A_NOTE))).toEqual([true]);
  expect(await both(() => store().enable(disabled._id, A_NOTE))).toEqual([true]);
  expect(await both(() => store().close(owner, NOW, LATER, A_NOTE))).toEqual([true]);
});

test('of an enabling and an erasure at once exactly one wins', async () => {
  const due = await Promise.all(Array.from({ length: 20 }, () => anAccount(ACCOUNTS.due ?? {})));
  await Promise.all(
    due.map(async (account) => {
      const [isEnabled, erased] = await Promise.all([
        store().enable(account._id, A_NOTE),
        store().beginErasure(account._id, NOW),
      ]);
      expect(stateIn(await read(account))).toBe(isEnabled ? 'active' : 'being erased');
      expect(erased === undefined).toBe(isEnabled);
    }),
  );
});

test('an account that is closed with a former password stays open', async () => {
  const account = await anAccount({});
  expect(await store().close({ ...account, passwordHash: 'former' }, NOW, LATER, A_NOTE)).toBe(false);
  expect(stateIn(await read(account))).toBe('active');
});

test('an e-mail is changed only if it is still the one that was read', async () => {
  const { _id, email } = await anAccount({});
  expect(await store().setEmail(_id, `former-${email}`, `new-${email}`, NOW, A_NOTE)).toBe('changed');
  expect(await opened.database.accounts.findOne({ _id })).toMatchObject({ email });
});

/** What was begun with the account before has ended (account-endings.ts). */
const RENEWED = { accessVersion: expect.any(String), passwordChange: { id: expect.any(String) } };

describe.each(Object.entries(ACCOUNTS))('an account that is %s', (_, fields) => {
  test('becomes absent and returns as it was', async () => {
    const account = await anAccount(fields);
    const absent = asAbsent(account, NOW);
    const isBeingErased = stateOf(fields) === 'being erased';
    expect(stateOf(absent)).toBe(isBeingErased ? 'being erased' : 'absent');
    if (!isBeingErased && !fields.legacyAbsence) {
      expect(absent.emailKey).not.toBe(account.emailKey);
      expect(asReturned(absent)).toEqual({ ...account, ...RENEWED });
      expect(asAbsent(absent, LATER)).toBe(absent);
    }
    if (!fields.legacyAbsence) {
      expect(asReturned(account)).toBe(account);
    }
  });
});

test('a pending change of the e-mail does not come back with an absent account', async () => {
  const account = await anAccount({ emailChange: { emailDigest: 'digest', passwordChangeId: null } });
  await store().bulk.replaceIfUnchanged([{ before: account, after: asAbsent(account, NOW) }]);
  const absent = (await read(account)) as StoredAccount;
  expect(absent).not.toHaveProperty('emailChange');
  await store().bulk.replaceIfUnchanged([{ before: absent, after: asReturned(absent) }]);
  const { emailChange: _, ...others } = account;
  // A record that is written has the fields by which it is found.
  expect(await read(account)).toEqual({ ...others, ...RENEWED, nameWords: ['pat', 'ient'] });
});

/** What a sync that has read an account makes of it, by the verbs of the move. */
const SYNC_VERBS: Record<string, (account: StoredAccount) => StoredAccount> = {
  asAbsent: (account) => asAbsent(account, LATER),
  asReturned,
};

describe.each(Object.keys(SYNC_VERBS))('between the read and the write of %s', (syncVerb) => {
  const changed = SYNC_VERBS[syncVerb] as NonNullable<(typeof SYNC_VERBS)[string]>;

  test.each(CASES)('%s of an account that is %s leaves the state that it has made', async (verb, name) => {
    const account = await anAccount(ACCOUNTS[name] ?? {});
    const act = VERBS[verb] as NonNullable<(typeof VERBS)[string]>;
    await act(store(), account);
    const made = await read(account);
    const left = await store().bulk.replaceIfUnchanged([{ before: account, after: changed(account) }]);
    const isStateChanged = !isDeepStrictEqual(stateFieldsOf(made), stateFieldsOf(account));
    if (isStateChanged) {
      expect(stateFieldsOf(await read(account))).toEqual(stateFieldsOf(made));
    }
    expect(isStateChanged && changed(account) !== account && left.size === 0).toBe(false);
  });
});

test('every state of the table and every verb is tested', () => {
  const states = new Set(Object.values(ACCOUNTS).map(stateOf));
  const verbs = new Set([...Object.keys(VERBS), 'asAbsent', 'asReturned']);
  for (const { from, verb } of TRANSITIONS) {
    expect([...states]).toEqual(expect.arrayContaining([...from]));
    expect(verbs).toContain(verb);
  }
});
