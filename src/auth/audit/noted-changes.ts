import type { AuditEvent, AuditEventStore } from '../../stores/audit-events.ts';
import type { DoctorStore } from '../../stores/doctors.ts';
import type { EventNoteStore, NotedChange } from '../../stores/event-notes.ts';
import { type Clock, repeat, type Schedule } from '../../system/clock.ts';
import type { Logger } from '../../system/log.ts';
import { gatewayActor } from '../caller.ts';
import { DECIDED_TYPES, NOTED_ACTS } from '../events/published-acts.ts';
import type { AuditTrail } from './audit-trail.ts';

interface NotedChangesParts {
  /** Of all collections that have notes. */
  notes: readonly Pick<EventNoteStore, 'before' | 'remove'>[];
  auditEvents: Pick<AuditEventStore, 'storedAmong'>;
  doctors: Pick<DoctorStore, 'confirmedStatuses'>;
  audit: AuditTrail;
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
  #removing: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: NotedChangesParts) {
    parts.audit.onStored((events) => this.#remove(events));
  }

  /** Resolves when all notes are removed whose events are stored by now. */
  async close(): Promise<void> {
    await this.#removing;
  }

  /** Writes the events of changes that are older than a minute, every minute. Two instances may do it at the same time. */
  schedule(): Schedule {
    return repeat((signal) => this.settle(signal), MINUTE_MILLIS, this.parts.clock);
  }

  /** It never rejects. What is left is tried again. */
  async settle(signal?: AbortSignal): Promise<void> {
    try {
      for (const store of this.parts.notes) {
        let notes: NotedChange[];
        do {
          notes = await store.before(new Date(this.parts.clock.now() - MINUTE_MILLIS), BATCH_SIZE);
          const settled = await this.#write(notes);
          await (settled.length > 0 && store.remove(settled));
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
    const { auditEvents, doctors, audit } = this.parts;
    const ids = notes.map(({ id }) => id);
    const before = await auditEvents.storedAmong(ids);
    const missing = notes.filter(({ id }) => !before.has(id));
    const reviewed = missing.filter(({ act }) => act === 'review').map(({ accountId }) => accountId);
    const statuses = await doctors.confirmedStatuses(reviewed);
    for (const { id: eventId, act, at, accountId } of missing) {
      const status = act === 'review' ? statuses.get(accountId) : undefined;
      const published = status && DECIDED_TYPES[status];
      const cause = 'recorded later, from the change';
      await audit.write(
        { act, eventId, at, accountId, cause, ...(published && { published }) },
        gatewayActor(),
      );
    }
    const after = missing.length > 0 ? await auditEvents.storedAmong(ids) : before;
    return notes.filter(({ id }) => after.has(id));
  }

  /** If it fails, the next run of {@link settle} removes them. */
  #remove(events: readonly AuditEvent[]): void {
    const noted = events.flatMap(({ _id: id, act, accountId, unpublished }) =>
      unpublished && NOTED_ACTS.has(act) && accountId !== null ? [{ id, accountId }] : [],
    );
    if (noted.length > 0) {
      const removals = this.parts.notes.map((store) => store.remove(noted));
      this.#removing = Promise.allSettled([this.#removing, ...removals]);
    }
  }
}
