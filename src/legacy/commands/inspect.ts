import { isEmailAddress } from '../../auth/email-address.ts';
import { parseStoredHash } from '../../auth/passwords/stored-hash.ts';
import { durationOf } from '../../cli/output.ts';
import { type RehearsalContext, rehearse, type WouldTake } from '../import/rehearse.ts';
import { columnsOf, type LegacyDatabase, type LegacyRow } from '../source/legacy-database.ts';
import { KINDS, type Kind } from '../source/legacy-tables.ts';
import { countSecondFactors, secondFactorLines } from '../source/second-factors.ts';
import { withSource } from './open-context.ts';
import { type LegacyInvocation, type LegacyOptions, legacyOptions, type PrepareAction } from './options.ts';
import { FindingCounts, findingLines } from './run-report.ts';

/** Reads the options of the command `inspect`. */
export const prepareTask: PrepareAction = (options) => {
  const legacy = legacyOptions(options);
  return (invocation) => runInspect(invocation, legacy);
};

/** Runs the command `inspect`. */
async function runInspect(invocation: LegacyInvocation, options: LegacyOptions): Promise<void> {
  const { output, config } = invocation;
  const counts = new FindingCounts();
  const inspection = await withSource(invocation, options, (context) => {
    const observer = {
      found: (finding: Parameters<FindingCounts['add']>[0]) => {
        counts.add(finding);
        output.found(finding);
      },
      progress: output.progress.bind(output),
    };
    const rules = { maxFileBytes: config.maxFileBytes, isLoginEmail: isEmailAddress, isKnownHash };
    return inspectLegacy({ ...context, observer }, rules);
  });
  const { groups } = counts;
  const text = [
    ...linesOf(inspection, options),
    'Not taken, missing or in conflict:',
    ...findingLines(groups),
  ];
  output.line({
    text: groups.length > 0 ? text : text.slice(0, -1),
    json: { event: 'inspection', ...inspection, findings: groups },
  });
}

const isKnownHash = (hash: string): boolean => parseStoredHash(hash) !== undefined;

function linesOf(found: Inspection, { filesDir }: LegacyOptions): string[] {
  const { rows, tokens, files, droppedColumns } = found;
  const dropped = Object.entries(droppedColumns)
    .filter(([, columns]) => columns.length > 0)
    .map(([kind, columns]) => `  of ${kind}: ${columns.join(', ')}`);
  return [
    `Accounts: ${rows.accounts} (${pairs(found.roles)})`,
    `  passwords: ${pairs(found.hashes)}`,
    `  doctors without a profile: ${list(found.doctorsWithoutProfile)}`,
    `  proven e-mails: ${provenText(found.provenEmails)}`,
    `  e-mails that the login refuses: ${list(found.refusedEmails)}`,
    `Profiles: ${rows.profiles} (without a certification: ${found.documentsWithoutFile})`,
    ...(filesDir === undefined
      ? ['Files: not looked at (--files)']
      : [
          `Files: ${files.count}, ${files.bytes} bytes`,
          `  larger than MAX_FILE_BYTES, which an import accepts anyway: ${list(found.largeFiles)}`,
        ]),
    `Tokens: ${rows.tokens} (with an end: ${tokens.withExpiry}, never used: ${tokens.neverUsed}, oldest: ${tokens.oldest ?? 'none'})`,
    `  abilities: ${pairs(tokens.abilities)}`,
    `  of other types, which are left out: ${pairs(found.otherTokenTypes)}`,
    `Ids above 2^53, with which ID_FORMAT=integer does not work: ${list(found.largeIds)}`,
    `Columns that are left out: ${dropped.length > 0 ? '' : 'none'}`.trimEnd(),
    ...dropped,
    ...secondFactorLines(found.secondFactors),
    `An import would take ${pairs(found.wouldTake)}, in about ${durationOf(found.estimatedSeconds)}`,
  ];
}

const provenText = (proven: Inspection['provenEmails']): string =>
  proven === null ? 'the table has no column for them' : `${proven.count} (column ${proven.column})`;

const list = ({ count, ids }: IdList): string =>
  count === 0 ? '0' : `${count} (${ids.join(', ')}${count > ids.length ? ', …' : ''})`;

const pairs = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name}: ${count}`)
    .join(', ') || 'none';

/** How many ids are shown of each list. */
const SHOWN_IDS = 10;
/** Measured: an import takes that many times the time that reading and converting alone takes. */
const IMPORT_FACTOR = 4;
/** A disk for servers copies, flushes and hashes more. */
const COPIED_BYTES_PER_SECOND = 50_000_000;

/** What the gateway says about the data. */
interface Rules {
  /** The limit of a new document. Imported ones may be larger. */
  maxFileBytes: number;
  /** True if the login accepts the e-mail. */
  isLoginEmail(email: string): boolean;
  /** True if a login can compare a password with the hash. */
  isKnownHash(hash: string): boolean;
}

/** Ids for people: how many, and the first ones. */
interface IdList {
  count: number;
  ids: string[];
}

/** What is in a legacy service. */
interface Inspection {
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
  /** The column of their proofs, and how many accounts have a time in it; null if the table has no such column. */
  provenEmails: { column: string; count: number } | null;
  /** How many accounts have a second factor there. None is taken. */
  secondFactors: number;
  /** Accounts that cannot log in, because the login refuses their e-mail. */
  refusedEmails: IdList;
  /** Ids that JSON numbers do not carry: `ID_FORMAT=integer` cannot be used. */
  largeIds: IdList;
  droppedColumns: Record<Kind, string[]>;
  estimatedSeconds: number;
}

/** Looks at everything that an import would take. Writes nothing. */
async function inspectLegacy(context: RehearsalContext, rules: Rules): Promise<Inspection> {
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
    provenEmails: await provenEmails(source),
    secondFactors: await countSecondFactors(source),
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

async function provenEmails(source: LegacyDatabase): Promise<Inspection['provenEmails']> {
  const [kind, name] = ['accounts', 'email_verified_at'] as const;
  const { [name]: column = name } = source.tables[kind].columns;
  return source.absent[kind].includes(name) ? null : { column, count: await source.countGiven(kind, name) };
}

/** The columns of a table that the mapping does not name: an import drops their values. */
async function droppedColumns(source: LegacyDatabase, kind: Kind): Promise<string[]> {
  const { table, key, columns } = source.tables[kind];
  const known = new Set([key, ...Object.values(columns)].map((name) => name.toLowerCase()));
  const all = await columnsOf((text) => source.query(text), table);
  return all.filter((name) => !known.has(name.toLowerCase()));
}

/** The ids of doctors without a profile. Such accounts exist, because the legacy registration is no transaction. */
async function doctorsWithoutProfile(source: LegacyDatabase): Promise<string[]> {
  const { sql } = source;
  const rows = await source.query(
    `SELECT ${sql.key('accounts')} FROM ${sql.from('accounts')}` +
      ` LEFT JOIN ${sql.from('profiles')} ON ${sql.key('profiles')} = ${sql.key('accounts')}` +
      ` WHERE ${sql.column('accounts', 'role')} = 'doctor' AND ${sql.key('profiles')} IS NULL ORDER BY 1`,
  );
  return rows.map(([key]) => String(key));
}

/** The classes in `tokenable_type` whose tokens are not those of accounts, and how many tokens each has. */
async function otherTokenTypes(source: LegacyDatabase): Promise<Map<string, number>> {
  const { sql } = source;
  const type = sql.column('tokens', 'tokenable_type');
  const rows = await source.query(
    `SELECT ${type}, COUNT(*) FROM ${sql.from('tokens')} WHERE NOT ${sql.isOfAccounts('tokens')} GROUP BY 1 ORDER BY 1`,
  );
  return new Map(rows.map(([name, count]) => [String(name), Number(count)]));
}
