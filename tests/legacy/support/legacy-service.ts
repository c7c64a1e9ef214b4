import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { aPdf, aPdfOf } from '../../support/documents.ts';
import { rememberPassword, rememberToken } from '../../support/response-record.ts';
import { LEGACY_ACCOUNTS, type LegacyAccount } from './legacy-people.ts';
import { createLegacyTables } from './legacy-tables.mjs';
import { LEGACY_TOKENS, type LegacyToken } from './legacy-tokens.ts';
import { type MariaDb, type Query, startMariaDb } from './mariadb.mjs';

/** The default limit of the gateway for one file. */
const MAX_FILE_BYTES = 10_485_760;

/** A row of the table doctor_profiles. */
export interface LegacyProfile {
  id: number;
  user_id: number;
  specialization: string;
  license_number: string;
  license_file_path: string;
  diploma_file_path: string;
  certification_file_path: string | null;
  current_institution: string | null;
  work_history: string | null;
  publications: string | null;
  practice_address: string | null;
  created_at: string | null;
  updated_at: string | null;
}

/** What a legacy service keeps: its database and its files. The service itself does not run. */
export interface LegacyService {
  database: MariaDb;
  /** Its folder `storage/app/public`, in which the paths of the profiles begin. */
  filesDir: string;
  accounts: typeof LEGACY_ACCOUNTS;
  tokens: typeof LEGACY_TOKENS;
  profiles: Record<
    'doctor' | 'doctorWithoutCertification' | 'doctorWithMissingFile' | 'doctorWithLargeFile',
    LegacyProfile
  >;
  /** Everything that no report may contain: passwords, hashes, tokens, and the password of the database. */
  secrets: string[];
  /** Ends the database, unless it is shared, and removes the files. */
  stop(): Promise<void>;
}

/**
 * Makes the data of a legacy service in MariaDB: LEGACY_ACCOUNTS, LEGACY_TOKENS, four profiles and their files. One of the files is
 * missing, one is a byte too large, and no profile names the file `doctor_profiles/licenses/unused.pdf`.
 * @param shared a server of several services, one after the other; by default the service has its own
 */
export async function startLegacyService(shared?: MariaDb): Promise<LegacyService> {
  const database = shared ?? (await startMariaDb());
  const folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-legacy-'));
  const filesDir = path.join(folder, 'storage/app/public');
  const { query } = database;
  await dropTables(query);
  await createLegacyTables(query);
  for (const account of Object.values(LEGACY_ACCOUNTS)) {
    await addAccount(query, account);
  }
  for (const token of Object.values(LEGACY_TOKENS)) {
    await addToken(query, token);
  }
  return {
    database,
    filesDir,
    accounts: LEGACY_ACCOUNTS,
    tokens: LEGACY_TOKENS,
    profiles: await addProfiles(query, filesDir),
    secrets: [
      database.password,
      ...Object.values(LEGACY_ACCOUNTS).flatMap(({ password, hash }) => [password, hash]),
      ...Object.values(LEGACY_TOKENS).flatMap(({ secret, hash }) => [secret, hash]),
    ],
    async stop() {
      await (shared ?? database.stop());
      await rm(folder, { recursive: true });
    },
  };
}

/** A MariaDB server for all tests of the file. */
export function useMariaDb(): MariaDb {
  const used = {} as MariaDb;
  beforeAll(async () => void Object.assign(used, await startMariaDb()));
  afterAll(() => used.stop?.());
  return used;
}

async function dropTables(query: Query): Promise<void> {
  const tables = await query<{ name: string }>(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
  );
  const drops = tables.map(({ name }) => `DROP TABLE \`${name}\`; `);
  await query(`SET FOREIGN_KEY_CHECKS = 0; ${drops.join('')}SET FOREIGN_KEY_CHECKS = 1`);
}

/** Adds an account. */
export async function addAccount(query: Query, account: LegacyAccount): Promise<void> {
  rememberPassword(account.password);
  const { id, name, email, phone, dob, role, hash, createdAt, updatedAt } = account;
  const row = {
    id,
    name,
    email,
    phone,
    dob,
    role,
    password: hash,
    created_at: createdAt,
    updated_at: updatedAt,
  };
  await query('INSERT INTO accounts SET ?', [row]);
}

/** Adds a token. */
export async function addToken(query: Query, token: LegacyToken): Promise<void> {
  rememberToken(token.plain);
  await query('INSERT INTO personal_access_tokens SET ?', [
    {
      id: token.id,
      tokenable_type: token.type,
      tokenable_id: token.accountId,
      name: token.name,
      token: token.hash,
      abilities: token.abilities,
      last_used_at: token.lastUsedAt,
      expires_at: token.expiresAt,
      created_at: token.createdAt,
      updated_at: token.createdAt,
    },
  ]);
}

/** The path of a new document in the form that the legacy service gives it. */
const newPath = (group: string): string => `doctor_profiles/${group}/${randomBytes(20).toString('hex')}.pdf`;

/** Writes a document below the folder. */
export async function addFile(filesDir: string, name: string, bytes = aPdf().bytes): Promise<void> {
  const file = path.join(filesDir, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, bytes);
}

/** Adds a profile and its files. */
export async function addProfile(
  query: Query,
  filesDir: string,
  fields: Partial<LegacyProfile> & Pick<LegacyProfile, 'id' | 'user_id'>,
): Promise<LegacyProfile> {
  const profile: LegacyProfile = {
    specialization: 'Cardiology',
    license_number: `MD-${fields.user_id}`,
    license_file_path: newPath('licenses'),
    diploma_file_path: newPath('diplomas'),
    certification_file_path: newPath('certifications'),
    current_institution: 'Charité',
    work_history: 'Ten years of work.',
    publications: 'None.',
    practice_address: '1 Main Street',
    created_at: '2024-02-29 12:00:01',
    updated_at: '2024-02-29 12:00:01',
    ...fields,
  };
  await query('INSERT INTO doctor_profiles SET ?', [profile]);
  for (const name of [
    profile.license_file_path,
    profile.diploma_file_path,
    profile.certification_file_path,
  ]) {
    if (name !== null) {
      await addFile(filesDir, name);
    }
  }
  return profile;
}

async function addProfiles(query: Query, filesDir: string): Promise<LegacyService['profiles']> {
  const add = (id: number, account: LegacyAccount, fields: Partial<LegacyProfile> = {}) =>
    addProfile(query, filesDir, { id, user_id: account.id, ...fields });
  const profiles = {
    doctor: await add(7, LEGACY_ACCOUNTS.doctor),
    doctorWithoutCertification: await add(8, LEGACY_ACCOUNTS.doctorWithoutCertification, {
      certification_file_path: null,
      current_institution: null,
      work_history: null,
      publications: null,
      practice_address: null,
      created_at: null,
      updated_at: null,
    }),
    doctorWithMissingFile: await add(9, LEGACY_ACCOUNTS.doctorWithMissingFile),
    doctorWithLargeFile: await add(10, LEGACY_ACCOUNTS.doctorWithLargeFile),
  };
  await rm(path.join(filesDir, profiles.doctorWithMissingFile.diploma_file_path));
  const tooLarge = aPdfOf(MAX_FILE_BYTES + 1).bytes;
  await addFile(filesDir, profiles.doctorWithLargeFile.license_file_path, tooLarge);
  await addFile(filesDir, 'doctor_profiles/licenses/unused.pdf');
  return profiles;
}
