import type { Replacement } from '../../stores/bulk-records.ts';
import type { BookedRow } from '../bookkeeping/booked-row.ts';
import type { NewRecord } from '../import/insert-records.ts';
import type { Finding } from '../legacy-context.ts';
import type { AnyRecord } from '../records/kinds.ts';
import type { Converted } from '../records/legacy-record.ts';
import type { RecordKind } from '../records/record-kind.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { Round } from './round.ts';

/** A stored record, what it becomes, and the digest of its row, which is then remembered. */
export interface RowChange extends Replacement<AnyRecord> {
  row: LegacyRow;
  digest: string;
}

/** The rows of a batch. They are brought up to date in place. */
export interface BookedBatch {
  booked: Map<string, BookedRow>;
  number: number;
  /**
   * The changes that are being stored. After a kill, a record that one of them has changed is not taken for one that was changed
   * here.
   */
  pending: Map<string, { after: string; digest: string }>;
  /** Remembers the rows as they are in {@link booked}. The batch stays open. */
  save(): Promise<void>;
}

/** What is to be done with the rows that were read together. */
export interface Work {
  kind: RecordKind<AnyRecord>;
  batch: BookedBatch;
  inserts: { row: LegacyRow; wanted: NewRecord<AnyRecord> }[];
  changes: RowChange[];
  /** Changes of what no digest has. Nothing is remembered of them. */
  beside: Replacement<AnyRecord>[];
  /** Tokens whose rows cannot be taken any more. */
  removals: string[];
}

/** A row, what it has become, and its stored record. */
export interface ReadRow {
  row: LegacyRow;
  converted: Converted<AnyRecord>;
  stored: AnyRecord | undefined;
}

/** A row about which is being decided. */
export interface PlannedRow extends ReadRow {
  round: Round;
  work: Work;
  /** What is known of it. */
  booked: BookedRow | undefined;
  /** Remembers the row with a digest. */
  book(digest: string): void;
  found(outcome: Finding['outcome'], reason: string): void;
}
