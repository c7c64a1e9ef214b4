import type { mongo } from 'mongoose';
import type { AuditedAct } from './audit-event-record.ts';
import { Store } from './store.ts';

/**
 * Says in a changed record that the event of the change is still to be stored. It is written in the same update as the change, so that
 * no kill loses the event, and removed when the event with its id is stored.
 */
export interface EventNote {
  /** The id that the event gets. */
  id: string;
  act: AuditedAct;
  at: Date;
}

/** A record that can have notes. Its id is that of an account. */
interface NotedRecord {
  _id: string;
  eventNotes?: EventNote[];
}

/** The field of a schema whose records can have notes. */
export const EVENT_NOTES = [
  {
    id: { type: String, required: true },
    act: { type: String, required: true },
    at: { type: Date, required: true },
  },
];

/** The same update, which also writes the note. A repetition writes it once. */
export const noting = <Change extends object>(change: Change, note: EventNote) => ({
  ...change,
  $addToSet: { eventNotes: note },
});

/** A note, and the account that the change is about. */
export interface NotedChange extends EventNote {
  accountId: string;
}

/** The notes in the records of one collection. */
export class EventNoteStore extends Store<NotedRecord> {
  /** Some of the notes from before a moment; if there are none, of those from the future, which a clock has made that was ahead. */
  async before(moment: Date, future: Date, limit: number): Promise<NotedChange[]> {
    const find = (at: { $lt: Date } | { $gt: Date }) => {
      return this.records.list({ 'eventNotes.at': at }, { projection: { eventNotes: 1 }, limit });
    };
    const former = await find({ $lt: moment });
    const found = former.length > 0 ? former : await find({ $gt: future });
    return found.flatMap(({ _id: accountId, eventNotes = [] }) =>
      eventNotes.filter(({ at }) => at < moment || at > future).map((note) => ({ ...note, accountId })),
    );
  }

  /** Removes notes whose events are stored. */
  async remove(notes: readonly Pick<NotedChange, 'id' | 'accountId'>[]): Promise<void> {
    const noteIds = { $in: notes.map(({ id }) => id) };
    const filter = { _id: { $in: notes.map(({ accountId }) => accountId) }, 'eventNotes.id': noteIds };
    // Almost always a record has one.
    const only = { ...filter, eventNotes: { $size: 1 } };
    const changed = await this.records.updateAll(only, { $unset: { eventNotes: true } });
    if (changed < notes.length) {
      const change = { $pull: { eventNotes: { id: noteIds } } };
      await this.records.updateAll(filter, change as mongo.UpdateFilter<NotedRecord>);
    }
  }
}

/** The notes of accounts, and those of profiles. */
export type EventNoteStores = Record<'accounts' | 'profiles', EventNoteStore>;
