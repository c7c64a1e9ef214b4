import type { Document } from 'bson';
import { DueMessages } from '../../src/mail/due-messages.ts';
import { LONGEST_HOLD_MILLIS } from '../../src/mail/outbox.ts';
import { createIndexes } from '../../src/stores/indexes.ts';
import type { StoredMessage } from '../../src/stores/messages.ts';
import { useDatabase } from '../support/database.ts';
import { openMailroom, orderFor } from '../support/mailroom.ts';
import { onEachCommand } from '../support/sent-commands.ts';

const opened = useDatabase();

const WAITING = 20_000;
const BATCH = 10_000;

test('behind 20,000 mails that one network has ordered, another one gets its turn', async () => {
  await createIndexes(opened.connection);
  const mails = opened.database.db.collection<StoredMessage>('outgoing_mails');
  const room = openMailroom(opened.connection, 'smtp://127.0.0.1:2525');
  const now = room.clock.now();
  const order = orderFor('ada@example.org');
  for (let from = 0; from < WAITING; from += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, i) => ({
      _id: `waiting-${from + i}`,
      order,
      orderedFrom: `192.0.2.${i % 256}`,
      createdAt: new Date(now),
      attempts: 0,
      nextAttemptAt: new Date(now - WAITING + from + i),
      expiresAt: new Date(now + 86_400_000),
    }));
    await mails.insertMany(batch, { ordered: false });
  }
  await room.outbox.add(order, { orderedFrom: '198.51.100.1' });
  room.clock.move(LONGEST_HOLD_MILLIS);
  const plan = await mails
    .find({ nextAttemptAt: { $gte: new Date(0), $lte: new Date(room.clock.now()) } })
    .sort({ nextAttemptAt: 1 })
    .explain('queryPlanner');
  expect(JSON.stringify(plan.queryPlanner.winningPlan)).toMatch(/IXSCAN.*nextAttemptAt_1/);
  expect(JSON.stringify(plan.queryPlanner.winningPlan)).not.toContain('"SORT"');

  const due = new DueMessages(room.messages, room.clock);
  let pages = 0;
  await due.read(async () => {
    pages += 1;
  });
  expect(pages).toBeGreaterThanOrEqual(WAITING / 500);
  const first = [due.nextFirst(), due.nextFirst()];
  expect(first.map((found) => found?.orderedFrom)).toContain('198.51.100.1');
  // The rest stays in the database until there are places again.
  let known = first.length;
  while (due.nextFirst()) {
    known += 1;
  }
  expect(known).toBe(2_000);
  expect(due.wantsMore).toBe(true);

  // All in one millisecond, as after a clock that was ahead. Each is examined once, so nothing is skipped again and again.
  await mails.updateMany({}, { $set: { nextAttemptAt: new Date(now) } });
  const finds: Document[] = [];
  const stopWatching = onEachCommand((name, command) => {
    if (name === 'find' && command.find === 'outgoing_mails') {
      finds.push(command);
    }
  });
  try {
    await due.read(async () => {});
  } finally {
    stopWatching();
  }
  expect(finds.map(({ skip }) => skip)).toEqual([undefined]);
  known = 0;
  while (due.nextFirst()) {
    known += 1;
  }
  expect(known).toBe(2_000);
  await room.stop();
});
