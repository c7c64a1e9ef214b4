import type { AuditTrail } from '../auth/audit/audit-trail.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import type { Stores } from '../stores/stores.ts';
import type { Clock } from '../system/clock.ts';
import type { BatchKind } from './journal/batch.ts';
import type { Journal } from './journal/journal.ts';
import type { ImportPolicy } from './records/legacy-record.ts';
import type { LegacyDatabase } from './source/legacy-database.ts';
import type { ReadTime } from './source/legacy-time.ts';

/** A row or file that a command did not treat as asked, for the report. It never has a value that is a secret. */
export interface InvalidRow {
  kind: BatchKind;
  /** The primary key of the row, or the stored path of the file. */
  id: string;
  /** What was not done, such as `not taken`, `conflict`, `differs`. */
  outcome: 'not taken' | 'conflict' | 'differs' | 'missing' | 'lost' | 'not written' | 'kept';
  reason: string;
}

/** Gets what a command reports while it runs. */
interface Observer {
  /** Called for each finding. */
  found(finding: InvalidRow): void;
  /**
   * Called after each batch.
   * @param done rows or files that are finished
   * @param total how many there are; undefined if that is not known
   */
  progress(kind: BatchKind, done: number, total: number | undefined): void;
}

/** What the commands work on. The command line opens and closes it. */
export interface LegacyContext {
  /** The legacy service's database. */
  source: LegacyDatabase;
  /** The legacy service's `storage/app/public`; undefined if its files are not asked for. */
  filesDir: string | undefined;
  /** The gateway's database. */
  stores: Stores;
  documents: DocumentStore;
  /** Of what the commands do with accounts. */
  audit: AuditTrail;
  journal: Journal;
  readTime: ReadTime;
  /** After which time without a use the gateway ends a token (TOKEN_IDLE_MINUTES); undefined: never. */
  tokenIdleMillis: number | undefined;
  policy: ImportPolicy;
  clock: Clock;
  observer: Observer;
  /** Aborted when the operator stops the command. It then ends after the running batch. */
  signal: AbortSignal;
}
