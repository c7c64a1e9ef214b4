import { connect } from '../../src/database/connect.ts';
import { DatabaseOutbox, LONGEST_HOLD_MILLIS } from '../../src/mail/outbox.ts';
import { newId } from '../../src/stores/accounts.ts';
import { emailKey } from '../../src/stores/email-key.ts';
import { createIndexes } from '../../src/stores/indexes.ts';
import { MessageStore } from '../../src/stores/messages.ts';
import type { Clock } from '../../src/system/clock.ts';
import { LONG_LIMITS, type TestDatabase } from './database.ts';
import { ManualClock } from './manual-clock.ts';
import { freshEmail } from './people.ts';

/**
 * Stores new accounts, and orders a mail to each as another process does: gateways find the orders in the database.
 * @param clock by default one on which the orders are due at once
 * @returns the e-mails
 */
export async function orderMails(
  { uri, accounts }: TestDatabase,
  count = 1,
  clock: Clock = new ManualClock(new Date(Date.now() - LONGEST_HOLD_MILLIS)),
): Promise<string[]> {
  const people = Array.from({ length: count }, () => {
    const email = freshEmail();
    const times = { createdAt: new Date(), updatedAt: null, disabledAt: null };
    const empty = { phone: null, dateOfBirth: null, passwordHash: '-' };
    return {
      _id: newId(),
      name: 'Pat Ient',
      email,
      emailKey: emailKey(email),
      role: 'patient' as const,
      ...empty,
      ...times,
    };
  });
  await accounts.insertMany(people);
  const connection = await connect(uri, LONG_LIMITS);
  try {
    await createIndexes(connection);
    const outbox = new DatabaseOutbox(new MessageStore({ connection }), clock);
    for (const { _id: accountId } of people) {
      await outbox.add({ kind: 'password changed', to: { accountId } });
    }
  } finally {
    await connection.close();
  }
  return people.map(({ email }) => email);
}
