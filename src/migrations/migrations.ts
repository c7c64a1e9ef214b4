import type { Models } from '../stores/models.ts';
import { asciiEmailKeys } from './ascii-email-keys.ts';
import { replacedIndexes } from './replaced-indexes.ts';

/**
 * A step from one schema version to the next. A process may die within it, and another one then begins it again: what is done
 * already must stay as it is. Gateways of the version before may run beside it.
 * @param signal ends it early; the step throws its reason
 * @returns sentences for the operator about what it has left to do; they go to the log
 */
export type Migration = (models: Models, signal: AbortSignal | undefined) => Promise<string[]>;

/** All steps, from an empty or unversioned database on. Their number is the schema version of this gateway. Only add to the end. */
export const MIGRATIONS: readonly Migration[] = [asciiEmailKeys, replacedIndexes];
