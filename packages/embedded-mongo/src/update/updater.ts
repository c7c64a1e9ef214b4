import type { Document } from 'bson';
import type { MatchContext } from '../values/match-context.ts';

/** What an update uses besides the document. */
export interface UpdateContext extends MatchContext {
  /** The filter that found the document: the positional `$` refers to it. */
  filter: Document;
  arrayFilters?: readonly Document[];
}

/** The next version of a document. */
interface Updated {
  document: Document;
  /** It counts as a change even if no byte differs, as after `$currentDate`. */
  isTouched?: boolean;
}

/** Gives the next version of a document. It may change the document. `isInsert`: an upsert creates the document. */
export type Updater = (document: Document, isInsert: boolean) => Updated;
