import type { DocumentStore, DocumentTrash, StoredDocument } from '../../documents/document-store.ts';
import type { Quarantine } from '../../documents/quarantine.ts';
import { isLegacyPath } from '../../documents/stored-path.ts';
import { type DoctorStore, TRASH_DAYS } from '../../stores/doctors.ts';
import { PAGE_SIZE } from '../../stores/store.ts';
import type { Stores } from '../../stores/stores.ts';
import { type Clock, everyHour, type Schedule } from '../../system/clock.ts';
import type { Logger } from '../../system/log.ts';
import {
  type Found,
  inBatches,
  orphanedDocuments,
  orphanedProfiles,
  orphanedTokens,
  orphanedUploads,
  type Sweepable,
  unfinishedRemovals,
} from './orphans.ts';
import { Pairing, UnpairedError } from './pairing.ts';

interface SweepParts {
  stores: Pick<Stores, 'accessTokens' | 'accounts' | 'doctors'>;
  quarantine: Quarantine;
  documents: DocumentStore;
  /** The id that the store of this database carries. */
  databaseId: string;
  clock: Clock;
}

interface SweepOptions {
  /** Removes nothing, and returns what would be removed, also if the store is that of another database. */
  dryRun?: boolean;
  /** Removes even if {@link looksLikeAnotherDatabase}. */
  force?: boolean;
  /** Ends the sweep early. */
  signal?: AbortSignal;
  /** Keeps what was made at this time of day or later, in milliseconds since the epoch, however old it looks. */
  madeBefore?: number | undefined;
}

/** What a sweep has done. */
interface SweepResult {
  removed: Swept[];
  /** What is back from the trash, because its account exists. */
  restored: Swept[];
}

/** A file or record that a sweep has removed, or would remove. */
export interface Swept {
  kind: string;
  id: string;
}

/**
 * Younger files and records may belong to a registration that is still running, here or in another instance
 * (auth/registration.ts).
 */
const MIN_AGE_MILLIS = 3_600_000;

/**
 * Removes the files and records that a crash during a registration left behind, finishes removals that were interrupted, tidies
 * the trash, and hashes documents that have no hash. Simultaneous sweeps do no harm.
 */
export class Sweep {
  readonly pairing: Pairing;
  readonly #uploads: Sweepable;
  readonly #unfinished: Sweepable;
  readonly #kinds: Sweepable[];

  constructor(private readonly parts: SweepParts) {
    const { stores, quarantine, documents, databaseId } = parts;
    const lostDocuments = orphanedDocuments(documents, stores.doctors);
    this.#uploads = orphanedUploads(quarantine);
    this.#unfinished = unfinishedRemovals(parts);
    this.#kinds = [orphanedTokens(parts), orphanedProfiles(parts), lostDocuments];
    const findOrphans = (signal?: AbortSignal) => lostDocuments.find(END_OF_TIME, signal);
    this.pairing = new Pairing({ documents, databaseId, findOrphans });
  }

  /**
   * Removes uploads that were never accepted, and what belongs to no account, if more than an hour old. Documents go to the
   * trash, and come back from it if an account owns them. Removals that a kill has interrupted are finished.
   * @throws UnpairedError if the documents may be those of another database; SuspiciousSweepError if most of a kind would be
   *   removed; errors of the database or the store
   */
  async run(options: SweepOptions = {}): Promise<SweepResult> {
    const { dryRun = false, signal, madeBefore = Number.POSITIVE_INFINITY } = options;
    const { stores, documents, clock } = this.parts;
    const before = new Date(Math.min(clock.now() - MIN_AGE_MILLIS, madeBefore));
    // Nothing decides about them but their age.
    const removed = await sweepKind(this.#uploads, before, { ...options, force: true });
    if (!dryRun) {
      await this.pairing.require(signal);
    }
    // These were decided. Nothing is removed because something else is absent.
    removed.push(...(await sweepKind(this.#unfinished, before, { ...options, force: true })));
    for (const kind of this.#kinds) {
      removed.push(...(await sweepKind(kind, before, options)));
    }
    if (dryRun) {
      return { removed, restored: [] };
    }
    // Profiles first: a document is owned only through its profile.
    const restored = await stores.doctors.restoreOwned(documents, signal);
    const tidying = { trash: documents.trash, doctors: stores.doctors, now: clock.now(), signal };
    restored.documents.push(...(await tidyTrash(tidying)));
    // At the end: a document that cannot be read keeps nothing else from being done.
    await stores.doctors.hashDocuments(documents, signal);
    return {
      removed,
      restored: [...asSwept('profile', restored.profiles), ...asSwept('document', restored.documents)],
    };
  }

  /**
   * Brings back from the trash all documents that the store does not have, which the next sweeps leave alone for an hour, and
   * the profiles of accounts that exist. Imported documents come back only with their profile: no sweep would find them again.
   */
  async restore(): Promise<Swept[]> {
    const { stores, documents } = this.parts;
    const restored = await stores.doctors.restoreOwned(documents);
    const others = await restoreAll(documents.trash, stores.doctors);
    return [
      ...asSwept('profile', restored.profiles),
      ...asSwept('document', [...restored.documents, ...others]),
    ];
  }
}

const END_OF_TIME = new Date(8.64e15);

const asSwept = (kind: string, ids: string[]): Swept[] => ids.map((id) => ({ kind, id }));

async function sweepKind(
  { kind, find, remove }: Sweepable,
  before: Date,
  { dryRun = false, force = false, signal }: SweepOptions,
): Promise<Swept[]> {
  const swept: Swept[] = [];
  const found = await find(before, signal);
  if (!dryRun && !force && looksLikeAnotherDatabase(found)) {
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
  return swept;
}

/** Thrown if a sweep would remove most files or records of a kind. */
class SuspiciousSweepError extends Error {
  constructor(kind: string, { examined, orphans }: Found) {
    super(
      `${orphans.length} of ${examined} ${kind}s belong to no account: is this the right database? Nothing was removed; ` +
        'see `auth-gateway sweep --dry-run`, and `-- --force` to remove them.',
    );
    this.name = 'SuspiciousSweepError';
  }
}

const MIN_SUSPICIOUS = 100;

/**
 * Crashes leave few orphans. If most of a kind would be removed, the database has probably lost its accounts, such as while a
 * dump is being restored. Documents and profiles could be brought back, but callers would miss them meanwhile.
 */
const looksLikeAnotherDatabase = ({ examined, orphans }: Found): boolean =>
  orphans.length > MIN_SUSPICIOUS && orphans.length > examined / 2;

/** Sweeps now and every hour. A failed sweep is logged, and the next one repeats its work. */
export function scheduleSweep(sweep: Sweep, clock: Clock, log: Logger): Schedule {
  // If the clock of the machine is set ahead, a file that is being uploaded looks old. But what was made before the previous
  // sweep began has existed for an interval, however the clock was set since.
  let madeBefore: number | undefined;
  /** The sentence of the last sweep about another database. It is logged once. */
  let unpaired: string | undefined;
  const run = async (signal: AbortSignal) => {
    const options = { signal, madeBefore };
    madeBefore = clock.now();
    try {
      const { removed, restored } = await sweep.run(options);
      if (removed.length > 0) {
        log.info({ removed: countByKind(removed) }, 'the sweep removed orphans');
      } else {
        log.debug('the sweep found no orphans');
      }
      if (restored.length > 0) {
        log.info({ restored: countByKind(restored) }, 'the sweep brought back what accounts own');
      }
      unpaired = undefined;
    } catch (err) {
      if (signal.aborted) {
        return;
      }
      if (!(err instanceof UnpairedError)) {
        log.warn({ err }, 'the sweep failed');
      } else if (err.message !== unpaired) {
        log.warn(err.message);
      }
      unpaired = err instanceof UnpairedError ? err.message : unpaired;
    }
  };
  return everyHour(run, clock);
}

/** The number of files and records by kind. */
export function countByKind(swept: Swept[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of swept) {
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

const TRASH_MILLIS = TRASH_DAYS * 86_400_000;

interface Tidying {
  trash: DocumentTrash;
  doctors: DoctorStore;
  /** The time of day, in milliseconds since the epoch. */
  now: number;
  signal?: AbortSignal | undefined;
}

/**
 * Brings documents back that belong to an account after all, such as when the database had been an older one, and removes
 * the others after {@link TRASH_DAYS}.
 * @returns the stored paths of the documents that are back
 */
async function tidyTrash({ trash, doctors, now, signal }: Tidying): Promise<string[]> {
  const restored: string[] = [];
  for await (const batch of inBatches(trash.list(), PAGE_SIZE)) {
    const owned = await doctors.ownedFiles(batch.map(({ path }) => path));
    for (const document of batch) {
      if (signal?.aborted) {
        return restored;
      }
      if (owned.has(document.path) && (await trash.restore(document.path))) {
        restored.push(document.path);
      } else if (isOver(document, now)) {
        // Not `store.remove`: if the document is owned, the store has it, too.
        await trash.remove(document.path);
      }
    }
  }
  return restored;
}

const isOver = ({ storedAt }: StoredDocument, now: number): boolean =>
  storedAt.getTime() < now - TRASH_MILLIS;

/**
 * Brings all documents back that the store does not have. The sweep leaves them alone for an hour. It lists no imported documents,
 * so only those come back that belong to an account.
 * @returns their stored paths
 */
async function restoreAll(trash: DocumentTrash, doctors: DoctorStore): Promise<string[]> {
  const restored: string[] = [];
  for await (const page of inBatches(trash.list(), PAGE_SIZE)) {
    const paths = page.map(({ path }) => path);
    const owned = await doctors.ownedFiles(paths.filter(isLegacyPath));
    for (const path of paths) {
      const comesBack = owned.has(path) || !isLegacyPath(path);
      if (comesBack && (await trash.restore(path))) {
        restored.push(path);
      }
    }
  }
  return restored;
}
