import type { DocumentStore } from '../documents/document-store.ts';
import type { Quarantine } from '../documents/quarantine.ts';
import type { Models } from '../models/models.ts';
import { Ownership } from '../models/ownership.ts';
import type { Clock } from '../system/clock.ts';
import { orphanedDocuments, orphanedUploads } from './orphaned-files.ts';
import { orphanedProfiles, orphanedTokens } from './orphaned-records.ts';
import type { Found, Sweepable } from './sweepable.ts';

/**
 * Younger files and records may belong to a registration that is still running, here or in another instance
 * (docs/architecture.md, "A registration is one unit of work").
 */
const MIN_AGE_MILLIS = 3_600_000;

/** A file or record that a sweep has removed, or would remove. */
export interface Swept {
  kind: string;
  id: string;
}

interface SweepOptions {
  /** Removes nothing, and returns what would be removed. */
  dryRun?: boolean;
  /** Removes even if {@link looksLikeAnotherDatabase}. */
  force?: boolean;
  /** Ends the sweep early. */
  signal?: AbortSignal;
  /** Keeps what was made at this time of day or later, in milliseconds since the epoch, however old it looks. */
  madeBefore?: number | undefined;
}

/** Thrown if a sweep would remove most files or records of a kind. */
class SuspiciousSweepError extends Error {
  constructor(kind: string, { examined, orphans }: Found) {
    super(
      `${orphans.length} of ${examined} ${kind}s belong to no account: is this the right database? Nothing was removed; ` +
        'see `npm run storage:sweep -- --dry-run`, and `-- --force` to remove them.',
    );
    this.name = 'SuspiciousSweepError';
  }
}

/** Removes the files and records that a crash during a registration left behind. Simultaneous sweeps do no harm. */
export class Sweep {
  readonly #kinds: Sweepable[];

  constructor(
    models: Models,
    quarantine: Quarantine,
    store: DocumentStore,
    private readonly clock: Clock,
  ) {
    const ownership = new Ownership(models, clock);
    this.#kinds = [
      orphanedUploads(quarantine),
      orphanedTokens(models, ownership, clock),
      orphanedProfiles(models, ownership, clock),
      orphanedDocuments(store, ownership),
    ];
  }

  /**
   * Finds and removes files and records that belong to no account and are more than an hour old.
   * @returns the removed ones; with `dryRun`, those that would be removed
   * @throws SuspiciousSweepError if most of a kind would be removed; errors of the database or the store
   */
  async run(options: SweepOptions = {}): Promise<Swept[]> {
    const { dryRun = false, force = false, signal, madeBefore = Number.POSITIVE_INFINITY } = options;
    const before = new Date(Math.min(this.clock.now() - MIN_AGE_MILLIS, madeBefore));
    const swept: Swept[] = [];
    for (const { kind, find, remove } of this.#kinds) {
      const found = await find(before, signal);
      const isPlausible = dryRun || force || kind === 'upload' || !looksLikeAnotherDatabase(found);
      if (!isPlausible) {
        throw new SuspiciousSweepError(kind, found);
      }
      for (const id of found.orphans) {
        if (signal?.aborted) {
          return swept;
        }
        if (dryRun || (await remove(id))) {
          swept.push({ kind, id });
        }
      }
    }
    return swept;
  }
}

const MIN_SUSPICIOUS = 100;

/**
 * Crashes leave few orphans. If most of a kind would be removed, MONGODB_URI probably names another database than theirs,
 * and a removal could not be undone.
 */
const looksLikeAnotherDatabase = ({ examined, orphans }: Found): boolean =>
  orphans.length > MIN_SUSPICIOUS && orphans.length > examined / 2;
