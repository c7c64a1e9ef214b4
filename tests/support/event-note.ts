import type { EventNote } from '../../src/stores/event-notes.ts';

/** A note for the verb of a store, in tests that are not about events. */
export const A_NOTE: EventNote = { id: 'a note', act: 'correction', at: new Date(0) };
