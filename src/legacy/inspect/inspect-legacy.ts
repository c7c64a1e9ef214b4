import type { LegacyRow } from '../source/legacy-database.ts';
import { KINDS, type Kind } from '../source/legacy-tables.ts';
import { doctorsWithoutProfile, droppedColumns, otherTokenTypes } from './legacy-facts.ts';
import { type RehearsalContext, rehearse, type WouldTake } from './rehearse.ts';

/** How many ids are shown of each list. */
const SHOWN_IDS = 10;
/** Measured: an import takes that many times the time that reading and converting alone takes. */
const IMPORT_FACTOR = 4;
/** A disk for servers copies, flushes and hashes more. */
const COPIED_BYTES_PER_SECOND = 50_000_000;

/** What the gateway says about the data. */
export interface Rules {
  /** The limit of a new document. Imported ones may be larger. */
  maxFileBytes: number;
  /** True if the login accepts the e-mail. */
  isLoginEmail(email: string): boolean;
  /** True if a login can compare a password with the hash. */
  isKnownHash(hash: string): boolean;
}

/** Ids for people: how many, and the first ones. */
export interface IdList {
  count: number;
  ids: string[];
}

/** What is in a legacy service. */
export interface Inspection {
  rows: Record<Kind, number>;
  wouldTake: WouldTake;
  /** How many accounts have each role, each kind of hash; and how many tokens have each kind of abilities. */
  roles: Record<string, number>;
  hashes: Record<string, number>;
  tokens: { withExpiry: number; neverUsed: number; oldest: string | null; abilities: Record<string, number> };
  otherTokenTypes: Record<string, number>;
  doctorsWithoutProfile: IdList;
  documentsWithoutFile: number;
  largeFiles: IdList;
  files: { count: number; bytes: number };
  /** Accounts that cannot log in, because the login refuses their e-mail. */
  refusedEmails: IdList;
  /** Ids that JSON numbers do not carry: `ID_FORMAT=integer` cannot be used. */
  largeIds: IdList;
  droppedColumns: Record<Kind, string[]>;
  estimatedSeconds: number;
}

/** Looks at everything that an import would take. Writes nothing. */
export async function inspectLegacy(context: RehearsalContext, rules: Rules): Promise<Inspection> {
  const { source, clock } = context;
  const tally = new Tally(rules);
  const beganAt = clock.elapsed();
  const wouldTake = await rehearse(context, tally);
  const readSeconds = (clock.elapsed() - beganAt) / 1000;
  const rows: Partial<Record<Kind, number>> = {};
  const dropped: Partial<Record<Kind, string[]>> = {};
  for (const kind of KINDS) {
    rows[kind] = await source.count(kind);
    dropped[kind] = await droppedColumns(source, kind);
  }
  const doctors = await doctorsWithoutProfile(source);
  const copySeconds = tally.files.bytes / COPIED_BYTES_PER_SECOND;
  return {
    rows: rows as Record<Kind, number>,
    wouldTake,
    ...tally.counts(),
    otherTokenTypes: Object.fromEntries(await otherTokenTypes(source)),
    doctorsWithoutProfile: { count: doctors.length, ids: doctors.slice(0, SHOWN_IDS) },
    droppedColumns: dropped as Record<Kind, string[]>,
    estimatedSeconds: Math.ceil(readSeconds * IMPORT_FACTOR + copySeconds),
  };
}

/** Counts while the rows pass. */
class Tally {
  readonly files = { count: 0, bytes: 0 };
  readonly #roles = new Map<string, number>();
  readonly #hashes = new Map<string, number>();
  readonly #abilities = new Map<string, number>();
  readonly #largeFiles: IdList = { count: 0, ids: [] };
  readonly #refusedEmails: IdList = { count: 0, ids: [] };
  readonly #largeIds: IdList = { count: 0, ids: [] };
  #withExpiry = 0;
  #neverUsed = 0;
  #oldest: string | null = null;
  #documentsWithoutFile = 0;

  constructor(private readonly rules: Rules) {}

  row(kind: Kind, row: LegacyRow): void {
    if (/^\d+$/.test(row.key) && BigInt(row.key) > Number.MAX_SAFE_INTEGER) {
      addTo(this.#largeIds, `${kind} ${row.key}`);
    }
    this[kind](row);
  }

  accounts({ key, values }: LegacyRow): void {
    addOne(this.#roles, values.role ?? 'none');
    addOne(this.#hashes, this.#kindOfHash(values.password ?? ''));
    if (!this.rules.isLoginEmail(values.email ?? '')) {
      addTo(this.#refusedEmails, key);
    }
  }

  profiles({ values }: LegacyRow): void {
    this.#documentsWithoutFile += values.certification_file_path ? 0 : 1;
  }

  tokens({ values }: LegacyRow): void {
    const { expires_at, last_used_at, created_at, abilities } = values;
    this.#withExpiry += expires_at ? 1 : 0;
    this.#neverUsed += last_used_at ? 0 : 1;
    addOne(this.#abilities, kindOfAbilities(abilities));
    if (created_at && (this.#oldest === null || created_at < this.#oldest)) {
      this.#oldest = created_at;
    }
  }

  file(storedPath: string, { sizeBytes }: { sizeBytes: number }): void {
    this.files.count += 1;
    this.files.bytes += sizeBytes;
    if (sizeBytes > this.rules.maxFileBytes) {
      addTo(this.#largeFiles, storedPath);
    }
  }

  /** The kind and cost of a hash, without the first `$`; unknown if nobody could log in with it. */
  #kindOfHash(hash: string): string {
    if (hash === '') {
      return 'none';
    }
    const [kind] = (this.rules.isKnownHash(hash) && KIND_OF_HASH.exec(hash)) || [];
    return kind?.slice(1) ?? 'unknown';
  }

  counts() {
    return {
      roles: Object.fromEntries(this.#roles),
      hashes: Object.fromEntries(this.#hashes),
      tokens: {
        withExpiry: this.#withExpiry,
        neverUsed: this.#neverUsed,
        oldest: this.#oldest,
        abilities: Object.fromEntries(this.#abilities),
      },
      documentsWithoutFile: this.#documentsWithoutFile,
      largeFiles: this.#largeFiles,
      files: this.files,
      refusedEmails: this.#refusedEmails,
      largeIds: this.#largeIds,
    };
  }
}

/** No real service has more kinds. A strange one must not fill the memory. */
const MAX_KINDS = 50;

function addOne(counts: Map<string, number>, name: string): void {
  const key = counts.has(name) || counts.size < MAX_KINDS ? name : 'other';
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function addTo(list: IdList, id: string): void {
  list.count += 1;
  if (list.ids.length < SHOWN_IDS) {
    list.ids.push(id);
  }
}

/** What stands before the salt of a hash. */
const KIND_OF_HASH = /^(?:\$2[aby]\$\d\d|\$argon2id?\$v=\d+\$m=\d+,t=\d+,p=\d+)(?=\$)/;

function kindOfAbilities(text: string | null | undefined): string {
  if (text === null || text === undefined) {
    return 'none';
  }
  return text === '["*"]' ? 'unrestricted' : 'restricted';
}
