// What the operators' admin does between two steps of others, and which mails it orders.

import { AccountData } from '../../src/auth/account-data.ts';
import { AccountAdmin } from '../../src/auth/admin/account-admin.ts';
import { AuditTrail } from '../../src/auth/audit/audit-trail.ts';
import { Features } from '../../src/auth/features.ts';
import { OwnerNotices } from '../../src/auth/owner-notices.ts';
import { PasswordHasher } from '../../src/auth/passwords/password-hasher.ts';
import type { Outbox } from '../../src/mail/outbox.ts';
import { toAdministered } from '../../src/stores/accounts.ts';
import { objectIds } from '../../src/stores/ids.ts';
import { createIndexes } from '../../src/stores/indexes.ts';
import type { MessageOrder } from '../../src/stores/messages.ts';
import { openStores } from '../../src/stores/stores.ts';
import { createLog } from '../../src/system/log.ts';
import { useDatabase } from '../support/database.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { freshEmail } from '../support/people.ts';

const opened = useDatabase();
const OPERATOR = { channel: 'admin', ip: '', requestId: 'test', userAgent: undefined, operator: 'anna' };
const NOW = new Date('2026-01-31T12:00:00.000Z');

interface Surroundings {
  /** Called with each mail that is ordered. */
  add?: (order: MessageOrder) => Promise<void>;
}

/** An admin with a new account, the mails that it orders, and what it logs. */
async function openAdmin({ add = async () => {} }: Surroundings = {}) {
  const stores = openStores(opened);
  await createIndexes(opened.connection);
  const orders: MessageOrder[] = [];
  const lines: string[] = [];
  const log = createLog('warn', { write: (line) => void lines.push(line) });
  const clock = new ManualClock(NOW);
  const { accounts } = stores;
  const outbox: Outbox = {
    isOn: true,
    add: (order) => add(order).then(() => void orders.push(order)),
    onAdded: () => {},
  };
  const admin = new AccountAdmin({
    accounts,
    doctors: stores.doctors,
    attempts: stores.attempts,
    accountIds: objectIds,
    accountData: new AccountData(stores, log),
    hasher: new PasswordHasher(4, 1, clock),
    audit: new AuditTrail({ auditEvents: stores.auditEvents, auditRetentionMillis: undefined, clock, log }),
    operatorActs: stores.operatorActs,
    keepsOperator: true,
    features: new Features({
      ...{ 'second factor': false, 'authenticator apps': false, passkeys: false },
      'e-mail links': true,
      invitations: false,
    }),
    outbox,
    notices: new OwnerNotices(outbox, clock, log),
    clock,
    log,
  });
  const fields = { role: 'patient', name: 'Pat Ient', phone: null, password: undefined } as const;
  const { id } = await admin.create({ ...fields, email: freshEmail() }, OPERATOR);
  const read = async () => {
    const account = await accounts.findById(id);
    if (!account) {
      throw new Error('the account is gone');
    }
    return toAdministered(account);
  };
  return { admin, accounts: opened.database.accounts, read, orders, lines };
}

test('a mail that cannot be ordered does not undo the new e-mail', async () => {
  const { admin, read, lines } = await openAdmin({ add: () => Promise.reject(new Error('away')) });
  const email = freshEmail();
  expect(await admin.setEmail(await read(), email, OPERATOR)).toBe(true);
  expect(await read()).toMatchObject({ email });
  expect(lines.join('')).toContain('a mail about an account was not ordered');
  expect(lines.join('')).not.toContain(email);
});

test('of two operators who have read one account, the second changes nothing', async () => {
  const { admin, read, orders } = await openAdmin();
  const account = await read();
  const first = freshEmail();
  await admin.setEmail(account, first, OPERATOR);
  const second = admin.setEmail(account, freshEmail(), OPERATOR);
  await expect(second).rejects.toThrow('The account was changed or removed meanwhile. Nothing was done.');
  expect(await read()).toMatchObject({ email: first });
  expect(orders).toHaveLength(2);
});

test('an account whose erasure has begun keeps its e-mail', async () => {
  const { admin, accounts, read } = await openAdmin();
  const account = await read();
  await accounts.updateOne({ _id: account.id }, { $set: { erasingSince: new Date() } });
  await expect(admin.setEmail(account, freshEmail(), OPERATOR)).rejects.toThrow('Nothing was done.');
  expect(await read()).toMatchObject({ email: account.email });
});

test('an account that the legacy service does not have any more can be disabled for its return, and nothing else', async () => {
  const { admin, accounts, read } = await openAdmin();
  const { id: _id } = await read();
  const absent = {
    disabledAt: NOW,
    emailKey: `absent:${_id}`,
    legacyAbsence: { since: NOW, disabledAt: null },
  };
  await accounts.updateOne({ _id }, { $set: absent });
  const before = await read();
  await expect(admin.enable(before, OPERATOR)).rejects.toThrow('does not have the account any more');
  await expect(admin.setEmail(before, freshEmail(), OPERATOR)).rejects.toThrow(
    'does not have the account any more',
  );
  expect(await read()).toEqual(before);
  await admin.disable(before, OPERATOR);
  expect(await read()).toEqual({ ...before, legacyAbsence: { since: NOW, disabledAt: NOW } });
});
