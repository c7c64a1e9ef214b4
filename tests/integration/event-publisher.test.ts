import { randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import { EventAccounts } from '../../src/auth/events/event-accounts.ts';
import { EventPublisher } from '../../src/auth/events/event-publisher.ts';
import type { AuditEvent } from '../../src/stores/audit-events.ts';
import { createIndexes } from '../../src/stores/indexes.ts';
import { openStores, type Stores } from '../../src/stores/stores.ts';
import { systemClock } from '../../src/system/clock.ts';
import { createLog } from '../../src/system/log.ts';
import { anAuditEvent } from '../support/audit-event.ts';
import { useDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { importAccount } from '../support/legacy.ts';

// tests/faults/two-publishers.test.ts has gateways that are paused and cut off.
const opened = useDatabase();
const log = createLog('silent', { write: () => {} });

const storesOf = (connection: Connection): Stores => openStores({ connection, limit: undefined });
let stores: Stores;
beforeAll(async () => {
  await createIndexes(opened.connection);
  stores = storesOf(opened.connection);
});
beforeEach(async () => {
  await opened.database.db.collection('events').deleteMany({});
  await opened.database.db.collection('audit_events').deleteMany({});
});

const rows = () => opened.database.db.collection('events').find().sort({ _id: 1 }).toArray();

const anEvent = (accountId: string | null, changes: Partial<AuditEvent> = {}): AuditEvent => ({
  ...anAuditEvent({ _id: randomUUID(), act: 'disabling', outcome: 'success', reason: null, accountId }),
  unpublished: { type: 'account.disabled', token: null },
  ...changes,
});

/** A publisher of another instance. */
function publisherOf(changes: Partial<Stores> = {}): EventPublisher {
  const own = { ...stores, ...changes };
  return new EventPublisher({
    audit: { onStored: () => {} },
    auditEvents: own.auditEvents,
    events: own.events,
    eventAccounts: new EventAccounts({ ...own, clock: systemClock }),
    clock: systemClock,
    log,
  });
}

function promise() {
  let resolve = () => {};
  const reached = new Promise<void>((done) => {
    resolve = done;
  });
  return { reached, resolve };
}

/** The store of an instance that sleeps in the middle of one of its methods, until it is woken. */
function sleepingIn(method: keyof Stores['events']) {
  const asleep = promise();
  const woken = promise();
  const events = new Proxy(stores.events, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name !== method) {
        return typeof value === 'function' ? value.bind(target) : value;
      }
      return async (...words: unknown[]) => {
        asleep.resolve();
        await woken.reached;
        return value.apply(target, words);
      };
    },
  });
  return { events, asleep: asleep.reached, wake: woken.resolve };
}

test.each(['lastPosition', 'append'] as const)(
  'the last row of an account has its newest state, also if an instance sleeps before %s',
  async (method) => {
    const { accounts } = opened.database;
    const id = randomUUID();
    await importAccount(opened.database, id, { passwordHash: 'none' });
    await stores.auditEvents.append([anEvent(id, { at: new Date(Date.now() - 2_000) })]);
    const { events, asleep, wake } = sleepingIn(method);
    const stopSleeper = publisherOf({ events }).start();
    await asleep;
    // Meanwhile another act happens. Another instance publishes that one alone: the first event is not visible to it yet.
    await accounts.updateOne({ _id: id }, { $set: { disabledAt: new Date() } });
    const second = anEvent(id, { at: new Date(Date.now() - 1_000) });
    await stores.auditEvents.append([second]);
    const auditEvents = Object.create(stores.auditEvents, {
      unpublished: {
        value: async (limit: number) =>
          (await stores.auditEvents.unpublished(limit)).filter(({ _id }) => _id === second._id),
      },
      notePublished: { value: (ids: string[]) => stores.auditEvents.notePublished(ids) },
    });
    const stop = publisherOf({ auditEvents }).start();
    await eventually(async () => expect(await rows()).toHaveLength(1));
    await stop();
    wake();
    await eventually(async () => expect(await rows()).toHaveLength(2));
    await stopSleeper();
    expect((await rows()).map((row) => row.account.state)).toEqual(['disabled', 'disabled']);
  },
);

test('an event whose row was published, and whose mark was left, is not published again', async () => {
  const event = anEvent(null);
  await stores.auditEvents.append([event]);
  const auditEvents = Object.create(stores.auditEvents, {
    unpublished: { value: (limit: number) => stores.auditEvents.unpublished(limit) },
    notePublished: { value: () => Promise.reject(new Error('killed')) },
  });
  const stopKilled = publisherOf({ auditEvents }).start();
  await eventually(async () => expect(await rows()).toHaveLength(1));
  await stopKilled();
  expect(await stores.auditEvents.unpublished(10)).toHaveLength(1);
  const other = anEvent(null);
  await stores.auditEvents.append([other]);
  const stop = publisherOf().start();
  await eventually(async () => expect(await stores.auditEvents.unpublished(10)).toEqual([]));
  await stop();
  expect((await rows()).map((row) => [row._id, row.event])).toEqual([
    [1, event._id],
    [2, other._id],
  ]);
});

test('the first publisher of a database begins with the events of the last hour', async () => {
  const old = anEvent(null, { at: new Date(Date.now() - 3_660_000) });
  const recent = anEvent(null, { at: new Date(Date.now() - 3_500_000) });
  await stores.auditEvents.append([old, recent]);
  const stop = publisherOf().start();
  await eventually(async () => expect(await stores.auditEvents.unpublished(10)).toEqual([]));
  expect((await rows()).map((row) => row.event)).toEqual([recent._id]);
  // Later an old event is one that has waited, such as for the database.
  const late = anEvent(null, { at: new Date(0) });
  await stores.auditEvents.append([late]);
  await eventually(async () =>
    expect((await rows()).map((row) => row.event)).toEqual([recent._id, late._id]),
  );
  await stop();
});

test('acts of operators on their own accounts are no events for services', async () => {
  await importAccount(opened.database, 'op', { passwordHash: 'none' });
  await opened.database.accounts.updateOne({ _id: 'op' }, { $set: { role: 'operator' } });
  await stores.auditEvents.append([anEvent('op'), anEvent(null)]);
  const stop = publisherOf().start();
  await eventually(async () => expect(await stores.auditEvents.unpublished(10)).toEqual([]));
  await stop();
  expect(await rows()).toMatchObject([{ _id: 1, account: null }]);
});

describe('the rows', () => {
  const row = (position: number, publishedAt = new Date()) => ({
    ...{
      _id: position,
      event: `event ${position}`,
      type: 'account.updated',
      at: new Date(),
      cause: 'correction',
    },
    ...{ account: null, token: null, publishedAt },
  });
  const insert = (...made: ReturnType<typeof row>[]) =>
    opened.database.db.collection<ReturnType<typeof row>>('events').insertMany(made);

  test('end at a gap', async () => {
    await insert(row(1), row(2), row(4));
    const read = await stores.events.after({ position: 1, event: 'event 1' }, 10);
    expect(read?.map(({ _id }) => _id)).toEqual([2]);
    expect(await stores.events.after({ position: 2, event: 'event 2' }, 10)).toEqual([]);
  });

  test('are gone after a long absence, and after a restore', async () => {
    await insert(row(5), row(6));
    for (const place of [
      { position: 0, event: '' },
      { position: 4, event: 'event 4' },
      { position: 7, event: 'event 7' },
      { position: 6, event: 'an event that the restore has taken back' },
    ]) {
      expect(await stores.events.after(place, 10)).toBeUndefined();
    }
    expect(await stores.events.after({ position: 5, event: 'event 5' }, 10)).toHaveLength(1);
  });

  test('are removed when they are old, but for the newest', async () => {
    const old = new Date(0);
    await insert(...Array.from({ length: 1_200 }, (_, index) => row(index + 1, old)));
    const future = new Date(Date.now() + 60_000);
    await stores.events.removeBefore(new Date(1), future);
    expect((await rows()).map(({ _id }) => _id)).toEqual([1_200]);
    await insert(row(1_201), row(1_202, old));
    await stores.events.removeBefore(new Date(1), future);
    expect((await rows()).map(({ _id }) => _id)).toEqual([1_201, 1_202]);
    // Of a clock that was a day ahead. Those before an old one are old, too.
    const ahead = (position: number) => row(position, new Date(Date.now() + 86_400_000));
    const many = Array.from({ length: 600 }, (_, index) => ahead(index + 1_203));
    await insert(...many, row(1_803, old), ahead(1_804), row(1_805));
    await opened.database.db.collection('events').deleteOne({ event: 'event 1201' });
    await stores.events.removeBefore(new Date(1), future);
    expect((await rows()).map(({ _id }) => _id)).toEqual([1_804, 1_805]);
  });
});
