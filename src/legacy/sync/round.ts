import type { Replacement } from '../../stores/bulk-records.ts';
import type { CounterRaiser, NewRecord } from '../import/insert-records.ts';
import type { BatchRange, RecordedRow } from '../journal/batch.ts';
import type { InvalidRow, LegacyContext } from '../legacy-context.ts';
import type { AnyRecord } from '../records/kinds.ts';
import type { Conversion, Converted } from '../records/legacy-record.ts';
import type { RecordKind } from '../records/record-kind.ts';
import type { Exchange } from '../rings.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';

/** What one round of `sync` has done with the rows of a kind. */
export interface KindChanges {
  added: number;
  changed: number;
  /** Only tokens are removed. */
  removed: number;
  /** Accounts that the legacy service does not have any more. */
  marked: number;
  /** Accounts that it has again. */
  returned: number;
}

export type RoundChanges = Record<Kind | 'files', KindChanges>;

/** What has changed in the legacy database since a `sync` has looked at it, of one kind. */
export interface Survey {
  ranges: readonly BatchRange[];
  /** The numbers of the batches with rows that have changed or gone. */
  changed: ReadonlySet<number>;
  /** The keys of the rows that were taken, and that the legacy database does not have any more. */
  gone: ReadonlySet<string>;
  /** The ids of accounts whose rows are gone, or do not move any more. They are not marked yet. */
  absent: ReadonlySet<string>;
}

export type Surveys = Readonly<Record<Kind, Survey>>;

/** The state of one round. */
export interface Round {
  context: LegacyContext;
  run: string;
  /** The time of the round: tokens that have expired until then are not taken. */
  now: Date;
  conversion: Conversion;
  surveys: Surveys;
  changes: RoundChanges;
  counters: CounterRaiser;
  /** True until the accounts of the legacy database are known: new tokens wait for them. */
  isBeforeAccounts: boolean;
  /** The batches of tokens with rows that wait for their accounts. */
  waiting: Set<number>;
  /** The batches of accounts with rows that could not be stored because another account has their e-mail, and these. */
  blocked: Map<number, Exchange[]>;
}

/** The rows of a batch. They are brought up to date in place. */
export interface RecordedBatch {
  recorded: Map<string, RecordedRow>;
  number: number;
  /**
   * The changes that are being stored. After a kill, a record that one of them has changed is not taken for one that was changed
   * here.
   */
  pending: Map<string, { after: string; digest: string }>;
  /** Remembers the rows as they are in {@link recorded}. The batch stays open. */
  save(): Promise<void>;
}

/** What is to be done with the rows that were read together. */
export interface Work {
  kind: RecordKind<AnyRecord>;
  batch: RecordedBatch;
  inserts: { row: LegacyRow; wanted: NewRecord<AnyRecord> }[];
  changes: RowChange[];
  /** Changes of what no digest has. Nothing is remembered of them. */
  beside: Replacement<AnyRecord>[];
  /** Tokens whose rows cannot be taken any more. */
  removals: string[];
}

/** A stored record, what it becomes, and the digest of its row, which is then remembered. */
export interface RowChange extends Replacement<AnyRecord> {
  row: LegacyRow;
  digest: string;
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
  recorded: RecordedRow | undefined;
  /** Remembers the row with a digest. */
  recordRow(digest: string): void;
  found(outcome: InvalidRow['outcome'], reason: string): void;
}
