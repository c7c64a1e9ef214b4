import { AccessTokenStore } from '../../src/stores/access-tokens.ts';
import { AccountStore, type StoredAccount } from '../../src/stores/accounts.ts';
import { BulkRecords } from '../../src/stores/bulk-records.ts';
import { createIndexes } from '../../src/stores/indexes.ts';
import { useDatabase } from '../support/database.ts';
import { A_NOTE } from '../support/event-note.ts';

const opened = useDatabase();

const HASH = '$2b$04$this-is-the-hash-of-a-password';
const NOW = new Date('2026-06-01T00:00:00Z');
const SECRETS = {
  knownPlaces: ['the digest of a network'],
  codePlaces: ['the digest of another network'],
  knownDevices: ['the name of a device'],
  passwordChange: { id: 'the id of a change' },
  emailChange: { emailDigest: 'the digest of a new e-mail', passwordChangeId: 'the id of a change' },
};

const ACCOUNT: StoredAccount = {
  _id: 'ada',
  name: 'Ada',
  email: 'ada@example.org',
  emailKey: 'ada@example.org',
  phone: null,
  role: 'doctor',
  passwordHash: HASH,
  createdAt: NOW,
  updatedAt: NOW,
  disabledAt: null,
  ...SECRETS,
};

beforeAll(() => createIndexes(opened.connection));
beforeEach(async () => {
  await opened.database.accounts.deleteMany();
  await opened.database.accounts.insertOne({ ...ACCOUNT });
});

/** Everything that an asynchronous generator yields. */
async function all(pages: AsyncIterable<unknown>): Promise<unknown[]> {
  const found = [];
  for await (const page of pages) {
    found.push(page);
  }
  return found;
}

const SESSIONS = { id: 'an end', keptTokenId: null };
const change = { passwordHash: HASH, knownPlaces: [], sessions: SESSIONS };

/** A call of each verb that finds the account. */
const CALLS: Record<string, (store: AccountStore) => unknown> = {
  insert: (store) =>
    store.insert({ ...ACCOUNT, _id: 'ben', email: 'ben@example.org', createdAt: NOW, eventNotes: [A_NOTE] }),
  correct: (store) => store.correct('ada', { language: 'de' }, NOW, A_NOTE),
  takeChange: (store) => store.takeChange('ada', { revision: 1, at: NOW, fields: { name: 'Ada B.' } }),
  hasEmail: (store) => store.hasEmail(ACCOUNT.email),
  findById: (store) => store.findById('ada'),
  findByEmail: (store) => store.findByEmail(ACCOUNT.email),
  findMany: (store) => store.findMany(['ada', 'eve']),
  emailKeysAmong: (store) => store.emailKeysAmong([ACCOUNT.email]),
  confirmedStates: (store) => store.confirmedStates(['ada', 'eve']),
  findWithOrigins: (store) => store.findWithOrigins('ada'),
  findForLogin: (store) => store.findForLogin(ACCOUNT.email),
  findWithPassword: (store) => store.findWithPassword('ada'),
  reviewable: (store) => store.reviewable(['ada']),
  existing: (store) => store.existing(['ada']),
  doctorsAmong: (store) => store.doctorsAmong(['ada']),
  knowsNetwork: (store) => store.knowsNetwork('the digest of a network'),
  rememberOrigin: (store) => store.rememberOrigin(ACCOUNT, { knownPlaces: [] }, undefined),
  setEmail: (store) => store.setEmail('ada', ACCOUNT.email, 'new@example.org', NOW, A_NOTE),
  proveEmail: (store) => store.proveEmail(ACCOUNT, NOW, A_NOTE),
  requestEmailChange: (store) => store.requestEmailChange(ACCOUNT, 'new@example.org'),
  finishEmailChange: (store) => store.finishEmailChange(ACCOUNT, 'new@example.org', NOW, A_NOTE),
  turnOnFactors: (store) =>
    store.turnOnFactors(ACCOUNT, { app: 'an app', codes: 'its codes' }, SESSIONS, A_NOTE),
  replaceRecoveryCodes: (store) => store.replaceRecoveryCodes(ACCOUNT, 'other codes'),
  finishSetUp: (store) =>
    store.finishSetUp(
      ACCOUNT,
      { passwordHash: HASH, factors: { app: 'an app', codes: 'its codes' } },
      NOW,
      A_NOTE,
    ),
  turnOffFactors: (store) => store.turnOffFactors(ACCOUNT, A_NOTE),
  resetFactors: (store) => store.resetFactors(ACCOUNT, HASH, SESSIONS, NOW, A_NOTE),
  countFactors: (store) => store.countFactors(),
  countOnlyPasskeys: (store) => store.countOnlyPasskeys(['doctor']),
  countAll: (store) => store.countAll(),
  countInactive: (store) => store.countInactive(),
  makePasskeyHandle: (store) => store.makePasskeyHandle(ACCOUNT, 'a handle'),
  addPasskey: (store) => store.addPasskey(ACCOUNT, 'a passkey', A_NOTE),
  takePasskeys: (store) => store.takePasskeys(ACCOUNT, ['a passkey'], true, A_NOTE),
  hasAnyPasskey: (store) => store.hasAnyPasskey(),
  hasAnyApp: (store) => store.hasAnyApp([{ _id: 'an app', accountId: 'ada' }]),
  setPassword: (store) => store.setPassword(ACCOUNT, change, NOW),
  replaceHash: (store) => store.replaceHash(ACCOUNT, HASH),
  isUnchanged: (store) => store.isUnchanged(ACCOUNT),
  isEndingSessions: (store) => store.isEndingSessions('ada', SESSIONS),
  noteSessionsEnded: (store) => store.noteSessionsEnded('ada', SESSIONS),
  renewAccess: (store) => store.renewAccess(['ada'], 'enabling'),
  renewEveryonesAccess: (store) => store.renewEveryonesAccess('enabling'),
  isEmpty: (store) => store.isEmpty(),
  renewEmailKeys: (store) => store.renewEmailKeys(undefined),
  pages: (store) => all(store.pages(undefined)),
  disabledPages: (store) => all(store.disabledPages(undefined)),
  byEmailPrefix: (store) => all(store.byEmailPrefix('ada', undefined)),
  count: (store) => store.count(),
  search: (store) => store.search('ada', 10),
  addSearchFields: (store) => store.addSearchFields(undefined),
  countOperators: (store) => store.countOperators(),
  countWithFactors: (store) => store.countWithFactors(),
  disable: (store) => store.disable('ada', NOW, A_NOTE),
  enable: (store) => store.enable('ada', A_NOTE),
  close: (store) => store.close(ACCOUNT, NOW, NOW, A_NOTE),
  closeAsOperator: (store) => store.closeAsOperator('ada', NOW, NOW, A_NOTE),
  nextDueForErasure: (store) => store.nextDueForErasure(NOW, []),
  beginErasure: async (store) => {
    await store.closeAsOperator('ada', NOW, NOW, A_NOTE);
    return store.beginErasure('ada', NOW);
  },
  beginErasureNow: (store) => store.beginErasureNow('ada', NOW),
  finishErasure: (store) => store.finishErasure('ada'),
  isErased: (store) => store.isErased('ada'),
  absentPages: (store) => all(store.absentPages()),
  'bulk.byIds': async (store) => [...(await store.bulk.byIds(['ada'])).values()],
  'bulk.byValues': (store) => store.bulk.byValues('emailKey', [ACCOUNT.emailKey]),
  'bulk.after': (store) => store.bulk.after('', 10),
  'bulk.idsAfter': (store) => store.bulk.idsAfter('', 10),
  'bulk.insertMany': (store) => store.bulk.insertMany([ACCOUNT]),
  'bulk.replaceIfUnchanged': (store) => store.bulk.replaceIfUnchanged([]),
  'bulk.removeIfUnchanged': (store) => store.bulk.removeIfUnchanged([]),
};

/** The verbs whose results contain one of these texts. */
async function verbsWith(...secrets: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const [name, call] of Object.entries(CALLS)) {
    await opened.database.accounts.deleteMany();
    await opened.database.accounts.insertOne({ ...ACCOUNT });
    const result = JSON.stringify(await call(new AccountStore(opened)), (_, value: unknown) =>
      value instanceof Set || value instanceof Map ? [...value] : value,
    );
    if (secrets.some((secret) => result?.includes(secret))) {
      found.push(name);
    }
  }
  return found;
}

const FOR_PASSWORDS = ['findForLogin', 'findWithPassword'];
const OF_A_MOVE = ['bulk.byIds', 'bulk.byValues', 'bulk.after'];

test('only the verbs for passwords and those of a move return the hash of a password', async () => {
  expect(await verbsWith(HASH)).toEqual([...FOR_PASSWORDS, ...OF_A_MOVE]);
});

test('only these and the export return other secrets of an account', async () => {
  const others = [
    'the digest of a network',
    'the name of a device',
    'the id of a change',
    'the digest of a new e-mail',
  ];
  expect(await verbsWith(...others)).toEqual(['findWithOrigins', ...FOR_PASSWORDS, ...OF_A_MOVE]);
});

test('a token is found with its account, but without the secrets of that', async () => {
  const tokens = new AccessTokenStore(opened);
  const token = {
    ...{ _id: 'token', accountId: 'ada', name: 'auth-token', secretHash: 'digest', abilities: null },
    ...{ createdAt: NOW, lastUsedAt: null, expiresAt: null, idleExpiresAt: null, imported: true as const },
  };
  await tokens.insert(token);
  for (const found of [
    await tokens.findWithAccount('token'),
    await tokens.findImportedWithAccount('digest'),
  ]) {
    expect(found?.account).toMatchObject({ _id: 'ada' });
    expect(JSON.stringify(found)).not.toContain(HASH);
    expect(JSON.stringify(found)).not.toMatch(/the digest of a network|the name of a device/);
  }
});

test('every verb of accounts has a call here', () => {
  const verbsOf = (prototype: object): string[] => {
    const names = Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor');
    const parent: unknown = Object.getPrototypeOf(prototype);
    return parent && parent !== Object.prototype ? [...names, ...verbsOf(parent as object)] : names;
  };
  const verbs = [
    ...verbsOf(AccountStore.prototype),
    ...verbsOf(BulkRecords.prototype).map((name) => `bulk.${name}`),
  ];
  expect(verbs.filter((name) => !CALLS[name])).toEqual([]);
});
