import type { Document } from 'bson';

/** What a filter or an expression uses besides the document. */
export interface MatchContext {
  /** The command's `let` variables, for expressions. */
  variables?: Document;
  /** How strings compare: the command's collation. */
  collator?: Intl.Collator | undefined;
  /** The time of the command, for `$$NOW`. */
  now?: Date;
}
