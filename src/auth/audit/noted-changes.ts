import type { AuditEventStore } from '../../stores/audit-events.ts';
import { type DoctorStore, statusAt } from '../../stores/doctors.ts';
import type { EventNoteStores, NotedChange } from '../../stores/event-notes.ts';
import { CLOCK_TOLERANCE_MILLIS, type Clock, repeat, type Schedule } from '../../system/clock.ts';
import type { Logger } from '../../system/log.ts';
import { gatewayActor } from '../caller.ts';
import { DECIDED_TYPES } from '../events/published-acts.ts';
import type { AuditTrail } from './audit-trail.ts';

interface NotedChangesParts {
  eventNotes: EventNoteStores;
  auditEvents: Pick<AuditEventStore, 'storedAmong'>;
  doctors: Pick<DoctorStore, 'confirmedStandings'>;
  audit: Pick<AuditTrail, 'write'>;
  clock: Clock;
  log: Logger;
}

const MINUTE_MILLIS = 60_000;
const BATCH_SIZE = 100;

/**
 * Changes that nobody would repeat: each has a note in the record that it changed (event-notes.ts), until its event is stored. So a
 * kill between the two does not lose the event.
 */
export class NotedChanges {
  constructor(private readonly parts: NotedChangesParts) {}

  /** Writes the events of changes that are older than a minute, every minute. Two instances may do it at the same time. */
  schedule(): Schedule {
    return repeat((signal) => this.settle(signal), MINUTE_MILLIS, this.parts.clock);
  }

  /** It never rejects. What is left is tried again. */
  async settle(signal?: AbortSignal): Promise<void> {
    try {
      for (const store of [this.parts.eventNotes.accounts, this.parts.eventNotes.profiles]) {
        let notes: NotedChange[];
        do {
          const now = this.parts.clock.now();
          const future = new Date(now + CLOCK_TOLERANCE_MILLIS);
          notes = await store.before(new Date(now - MINUTE_MILLIS), future, BATCH_SIZE);
          const settled = await this.#write(notes);
          if (settled.length > 0) {
            await store.remove(settled);
          }
          // The database does not take some of them. The next run tries again.
          if (settled.length < notes.length) {
            return;
          }
        } while (notes.length > 0 && !signal?.aborted);
      }
    } catch (err) {
      this.parts.log.warn({ err }, 'the events of some changes are not stored yet');
    }
  }

  /** @returns the notes whose events are stored */
  async #write(notes: readonly NotedChange[]): Promise<NotedChange[]> {
    const { auditEvents, doctors, audit, clock } = this.parts;
    const ids = notes.map(({ id }) => id);
    const before = await auditEvents.storedAmong(ids);
    const missing = notes.filter(({ id }) => !before.has(id));
    const reviewed = missing.filter(({ act }) => act === 'review').map(({ accountId }) => accountId);
    const standings = await doctors.confirmedStandings(reviewed);
    for (const { id: eventId, act, at, accountId } of missing) {
      const standing = act === 'review' ? standings.get(accountId) : undefined;
      const published = standing && DECIDED_TYPES[statusAt(standing, clock.now())];
      const cause = 'recorded later, from the change';
      await audit.write(
        { act, eventId, at, accountId, cause, ...(published && { published }) },
        gatewayActor(),
      );
    }
    const after = missing.length > 0 ? await auditEvents.storedAmong(ids) : before;
    return notes.filter(({ id }) => after.has(id));
  }
}
