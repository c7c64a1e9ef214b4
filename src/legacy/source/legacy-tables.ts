import { readFile } from 'node:fs/promises';
import { messageOf } from '../../system/system-errors.ts';
import { LegacyError } from '../legacy-error.ts';

/** The kinds of rows, in the order in which an import reads them: nothing is visible before its account. */
export const KINDS = ['accounts', 'profiles', 'tokens'] as const;
export type Kind = (typeof KINDS)[number];

/** Where one kind of rows is. */
export interface LegacyTable {
  table: string;
  /** The column of the unique key by which the rows are read in order. */
  key: string;
  /** The column of each value that the gateway stores, by the name that Laravel gives it. */
  columns: Readonly<Record<string, string>>;
}

export interface LegacyTables extends Record<Kind, LegacyTable> {
  /** The class names in `tokenable_type` whose tokens belong to accounts. */
  tokenTypes: readonly string[];
}

const namedAlike = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, name]));

const ACCOUNT_COLUMNS = [
  'name',
  'email',
  'phone',
  'dob',
  'role',
  'password',
  'created_at',
  'updated_at',
  // Laravel's SoftDeletes.
  'deleted_at',
];
const PROFILE_COLUMNS = [
  'specialization',
  'license_number',
  'license_file_path',
  'diploma_file_path',
  'certification_file_path',
  'current_institution',
  'work_history',
  'publications',
  'practice_address',
  'created_at',
];
const TOKEN_COLUMNS = [
  'tokenable_id',
  'tokenable_type',
  'name',
  'token',
  'abilities',
  'last_used_at',
  'expires_at',
  'created_at',
];

/**
 * Columns that were not moved from the beginning, the oldest first: docs/architecture.md, "How to move another column". Moves that
 * began before know neither their sums nor their names.
 */
export const ADDED_COLUMNS: Readonly<Record<Kind, readonly string[]>> = {
  accounts: ['email_verified_at'],
  profiles: [],
  tokens: [],
};

/** Columns of profiles that are read only if the mapping names them: no legacy service has them by itself. */
const MAPPED_COLUMNS: Readonly<Record<Kind, readonly string[]>> = {
  accounts: [],
  profiles: ['verified_until'],
  tokens: [],
};

/** The columns that some legacy services do not have. Their values are null there. */
export const OPTIONAL_COLUMNS: ReadonlySet<string> = new Set([
  'phone',
  'dob',
  'certification_file_path',
  'current_institution',
  'work_history',
  'publications',
  'practice_address',
  'last_used_at',
  'expires_at',
  'created_at',
  'updated_at',
  'deleted_at',
  ...Object.values(ADDED_COLUMNS).flat(),
]);

/** The names in the legacy service's own migrations (docs/migration.md, "Tables and columns"). */
export const DEFAULT_TABLES: LegacyTables = {
  accounts: {
    table: 'accounts',
    key: 'id',
    columns: namedAlike([...ACCOUNT_COLUMNS, ...ADDED_COLUMNS.accounts]),
  },
  // A profile gets the id of its account, so it is read by that.
  profiles: {
    table: 'doctor_profiles',
    key: 'user_id',
    columns: namedAlike([...PROFILE_COLUMNS, ...ADDED_COLUMNS.profiles]),
  },
  tokens: {
    table: 'personal_access_tokens',
    key: 'id',
    columns: namedAlike([...TOKEN_COLUMNS, ...ADDED_COLUMNS.tokens]),
  },
  tokenTypes: ['App\\Models\\Account', 'App\\Models\\User'],
};

/** The tables as the commands of a move must have them in common: an added column counts only if it has another name. */
export function tablesInCommon(tables: LegacyTables): LegacyTables {
  const withoutAdded = (kind: Kind): LegacyTable => {
    const isAdded = ([name, column]: [string, string]) =>
      ADDED_COLUMNS[kind].includes(name) && name === column;
    const columns = Object.entries(tables[kind].columns).filter((one) => !isAdded(one));
    return { ...tables[kind], columns: Object.fromEntries(columns) };
  };
  return {
    ...tables,
    accounts: withoutAdded('accounts'),
    profiles: withoutAdded('profiles'),
    tokens: withoutAdded('tokens'),
  };
}

/** An error in a mapping file. */
class MappingError extends LegacyError {}

/**
 * Reads a mapping file: JSON with `accounts`, `profiles` and `tokens`, each with `table`, `key` and `columns`, and
 * `tokenTypes`. What it does not name keeps its default.
 * @throws MappingError that names the wrong entry
 */
export async function readTables(file: string): Promise<LegacyTables> {
  const given = await parse(file);
  refuseUnknown('the file', given, [...KINDS, 'tokenTypes']);
  const tables = Object.fromEntries(KINDS.map((kind) => [kind, readTable(kind, given[kind])]));
  return { ...(tables as Record<Kind, LegacyTable>), tokenTypes: readTypes(given.tokenTypes) };
}

type Entries = Readonly<Record<string, unknown>>;

async function parse(file: string): Promise<Entries> {
  try {
    return asEntries('the file', JSON.parse(await readFile(file, 'utf8')));
  } catch (cause) {
    throw new MappingError(`The mapping ${file} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

function readTable(kind: Kind, given: unknown): LegacyTable {
  const standard = DEFAULT_TABLES[kind];
  if (given === undefined) {
    return standard;
  }
  const entries = asEntries(kind, given);
  refuseUnknown(kind, entries, ['table', 'key', 'columns']);
  const { table = standard.table, key = standard.key, columns = {} } = entries;
  const names = asEntries(`${kind}.columns`, columns);
  refuseUnknown(`${kind}.columns`, names, [...Object.keys(standard.columns), ...MAPPED_COLUMNS[kind]]);
  return {
    table: asName(`${kind}.table`, table),
    key: asName(`${kind}.key`, key),
    columns: {
      ...standard.columns,
      ...Object.fromEntries(
        Object.entries(names).map(([name, column]) => [name, asName(`${kind}.columns.${name}`, column)]),
      ),
    },
  };
}

function readTypes(given: unknown): readonly string[] {
  if (given === undefined) {
    return DEFAULT_TABLES.tokenTypes;
  }
  if (!Array.isArray(given) || given.length === 0) {
    throw new MappingError('tokenTypes must be a list of class names.');
  }
  return given.map((type, index) => asName(`tokenTypes[${index}]`, type));
}

function asEntries(name: string, value: unknown): Entries {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MappingError(`${name} must be an object.`);
  }
  return value as Entries;
}

function asName(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') {
    throw new MappingError(`${name} must be a text that is not empty.`);
  }
  return value;
}

function refuseUnknown(name: string, given: Entries, known: readonly string[]): void {
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    throw new MappingError(`${name} has an unknown entry: ${unknown}. Known are ${known.join(', ')}.`);
  }
}
