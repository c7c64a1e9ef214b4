import { createHash } from 'node:crypto';
import { sanctumSecret } from '../../../support/legacy.ts';
import { rememberToken } from '../../../support/response-record.ts';
import { testClock } from '../../../support/test-app.ts';
import { TOKENABLE_TYPE } from '../legacy-tables.mjs';
import type { Random } from './random.ts';
import { TABLES, type World } from './world.ts';

export type Row = Record<string, string | number | null>;

/** What a life remembers of the legacy service. */
export interface LifeThere {
  world: World;
  random: Random;
  /** The secrets of the tokens, by their ids. */
  secrets: Map<string, string>;
  /** Rows that were deleted, and may return, as from a dump. */
  deleted: { table: string; row: Row }[];
  /** The tables as they were when a command ended last, for a restore. */
  dump: Record<string, Row[]>;
}

const [ACCOUNTS, PROFILES, TOKENS] = TABLES;

/** The rows of a table in the order of their ids. */
export const rowsOf = ({ legacy }: World, table: string): Promise<Row[]> =>
  legacy.query<Row>(`SELECT * FROM ${table} ORDER BY id`);

/** Runs statements on one connection, without the checks of foreign keys: as somebody does who restores or repairs. */
const unchecked = ({ legacy }: World, sql: string, values: unknown[] = []) =>
  legacy.query(`SET FOREIGN_KEY_CHECKS = 0; ${sql}; SET FOREIGN_KEY_CHECKS = 1`, values);

/** Milliseconds since the epoch as a column has them. */
const sqlTime = (millis: number): string => new Date(millis).toISOString().slice(0, 19).replace('T', ' ');

const BEGINNING = testClock.now();
const SECONDS_OF_A_YEAR = 365 * 86_400;
/** A time one or two years ago. */
const time = (random: Random, now = BEGINNING): string =>
  sqlTime(now - (SECONDS_OF_A_YEAR + random.below(SECONDS_OF_A_YEAR)) * 1_000);
/** Tokens are issued and used while time passes. The commands of operators have the clock of the machine. */
const tokenTime = (random: Random): string => time(random, testClock.now());

async function insert(world: World, table: string, row: Row): Promise<void> {
  await unchecked(world, `INSERT IGNORE INTO ${table} SET ?`, [row]);
}

export async function addAccount(life: LifeThere): Promise<void> {
  const { world, random } = life;
  const id = world.nextId();
  const role = random.percent(40) ? 'doctor' : 'patient';
  const createdAt = time(random);
  await insert(world, ACCOUNTS, {
    id,
    name: `Person ${id}`,
    email: `There.${id}@example.org${random.percent(10) ? ' ' : ''}`,
    phone: `+1 ${id}`,
    dob: random.percent(50) ? '1984-02-29' : null,
    role,
    password: random.pick(world.passwords)?.hash ?? '',
    created_at: createdAt,
    updated_at: createdAt,
    deleted_at: random.percent(5) ? time(random) : null,
    email_verified_at: random.percent(40) ? time(random) : null,
  });
  if (role === 'doctor' && random.percent(80)) {
    await addProfile(life, id);
  }
  for (let count = random.below(3); count > 0; count -= 1) {
    await addToken(life, id);
  }
}

async function addProfile({ world, random }: LifeThere, owner: number): Promise<void> {
  const id = world.nextId();
  const [license = '', diploma = '', certification = ''] = random.some(world.files, 3);
  await insert(world, PROFILES, {
    id,
    user_id: owner,
    specialization: 'Cardiology',
    license_number: `MD-${id}`,
    license_file_path: license,
    diploma_file_path: diploma,
    certification_file_path: random.percent(20) ? null : certification,
    current_institution: 'Charité',
    work_history: null,
    publications: 'None.',
    practice_address: null,
    created_at: time(random),
    updated_at: null,
  });
}

/** The end of a token: none, far away, or within the next hours. */
const anEnd = (random: Random): string | null =>
  random.pick([null, null, null, '2037-12-31 23:59:59', sqlTime(testClock.now() + 3_600_000)]) ?? null;

async function addToken({ world, random, secrets }: LifeThere, owner: number | string): Promise<void> {
  const id = world.nextId();
  const secret = sanctumSecret(
    '',
    createHash('sha256').update(`${random.seed} ${id}`).digest('hex').slice(0, 40),
  );
  rememberToken(`${id}|${secret}`);
  secrets.set(String(id), secret);
  await insert(world, TOKENS, {
    id,
    tokenable_type: TOKENABLE_TYPE,
    tokenable_id: owner,
    name: 'auth-token',
    token: createHash('sha256').update(secret).digest('hex'),
    abilities: random.pick(['["*"]', '["read"]', null]) ?? null,
    last_used_at: random.percent(30) ? tokenTime(random) : null,
    expires_at: anEnd(random),
    created_at: tokenTime(random),
    updated_at: null,
  });
}

const COLUMNS: Record<string, Record<string, (life: LifeThere, row: Row) => string | number | null>> = {
  [ACCOUNTS]: {
    name: ({ world }) => `Renamed ${world.nextId()}`,
    email: ({ world }) => `Changed.${world.nextId()}@example.org`,
    phone: ({ world }) => `+2 ${world.nextId()}`,
    dob: ({ random }) => (random.percent(30) ? null : `19${10 + random.below(90)}-01-02`),
    role: ({ random }) => random.pick(['doctor', 'patient', 'admin']) ?? null,
    password: ({ random, world }) => random.pick(world.passwords)?.hash ?? '',
    created_at: ({ random }) => (random.percent(20) ? null : time(random)),
    updated_at: ({ random }) => time(random),
    deleted_at: ({ random }, { deleted_at }) => (deleted_at === null ? time(random) : null),
    email_verified_at: ({ random }) => (random.percent(30) ? null : time(random, testClock.now())),
  },
  [PROFILES]: {
    specialization: ({ world }) => `Surgery ${world.nextId()}`,
    license_number: ({ world }) => `MD-${world.nextId()}`,
    license_file_path: ({ random, world }) => random.pick(world.files) ?? null,
    diploma_file_path: ({ random, world }) => random.pick(world.files) ?? null,
    certification_file_path: ({ random, world }) =>
      random.percent(30) ? null : (random.pick(world.files) ?? null),
    current_institution: ({ random }) => random.pick(['Charité', null]) ?? null,
    work_history: ({ world }) => `Work ${world.nextId()}`,
    publications: ({ random }) => random.pick(['Many', null]) ?? null,
    practice_address: ({ random }) => random.pick(['1 Main Street', null]) ?? null,
    created_at: ({ random }) => time(random),
  },
  [TOKENS]: {
    name: ({ world }) => `token ${world.nextId()}`,
    abilities: ({ random }) => random.pick(['["*"]', '["read"]', '["read","write"]', null]) ?? null,
    last_used_at: ({ random }) => tokenTime(random),
    expires_at: ({ random }) => anEnd(random),
    created_at: ({ random }) => tokenTime(random),
  },
};

async function changeColumn(life: LifeThere): Promise<void> {
  const { world, random } = life;
  const table = random.pick(TABLES) ?? ACCOUNTS;
  const row = random.pick(await rowsOf(world, table));
  const [column, value] = random.pick(Object.entries(COLUMNS[table] ?? {})) ?? [];
  if (row && column !== undefined && value) {
    await world.legacy.query(`UPDATE IGNORE ${table} SET ?? = ? WHERE id = ?`, [
      column,
      value(life, row),
      row.id,
    ]);
  }
}

async function deleteRow({ world, random, deleted }: LifeThere): Promise<void> {
  const table = random.pick(TABLES) ?? ACCOUNTS;
  const row = random.pick(await rowsOf(world, table));
  if (!row) {
    return;
  }
  if (table === ACCOUNTS) {
    // The foreign key deletes the profile.
    const profiles = (await rowsOf(world, PROFILES)).filter(({ user_id }) => user_id === row.id);
    deleted.push(...profiles.map((profile) => ({ table: PROFILES, row: profile })));
  }
  deleted.push({ table, row });
  await world.legacy.query(`DELETE FROM ${table} WHERE id = ?`, [row.id]);
}

async function restoreRows({ world, random, deleted }: LifeThere): Promise<void> {
  const count = random.percent(50) ? 1 : deleted.length;
  for (const { table, row } of deleted.splice(0, count)) {
    await insert(world, table, row);
  }
}

async function renumber({ world, random }: LifeThere): Promise<void> {
  const row = random.pick(await rowsOf(world, ACCOUNTS));
  if (row) {
    const id = world.nextId();
    await unchecked(
      world,
      `UPDATE accounts SET id = ? WHERE id = ?; UPDATE doctor_profiles SET user_id = ? WHERE user_id = ?;
       UPDATE personal_access_tokens SET tokenable_id = ? WHERE tokenable_id = ?`,
      [id, row.id, id, row.id, id, row.id],
    );
  }
}

async function changeOwner({ world, random }: LifeThere): Promise<void> {
  const [table, column] = random.percent(50) ? [PROFILES, 'user_id'] : [TOKENS, 'tokenable_id'];
  const row = random.pick(await rowsOf(world, table));
  const owner = random.pick(await rowsOf(world, ACCOUNTS));
  if (row && owner) {
    await world.legacy.query(`UPDATE IGNORE ${table} SET ${column} = ? WHERE id = ?`, [owner.id, row.id]);
  }
}

/** A pair or a ring of accounts passes its e-mails on. */
async function exchangeEmails({ world, random }: LifeThere): Promise<void> {
  const ring = random.some(await rowsOf(world, ACCOUNTS), 2 + random.below(3));
  const emails = ring.map(({ email }) => email);
  for (const { id } of ring) {
    await world.legacy.query('UPDATE accounts SET email = ? WHERE id = ?', [`moving.${id}@example.org`, id]);
  }
  for (const [index, { id }] of ring.entries()) {
    const email = emails[(index + 1) % emails.length];
    await world.legacy.query('UPDATE accounts SET email = ? WHERE id = ?', [email, id]);
  }
}

async function addSomeToken(life: LifeThere): Promise<void> {
  const owner = life.random.pick(await rowsOf(life.world, ACCOUNTS));
  if (owner) {
    await addToken(life, owner.id ?? 0);
  }
}

/** Remembers all rows, as a dump does. */
export async function takeDump(life: LifeThere): Promise<void> {
  for (const table of TABLES) {
    life.dump[table] = await rowsOf(life.world, table);
  }
}

/** Restores the last dump. What has happened there since is lost. */
export async function restoreDump({ world, dump, deleted }: LifeThere): Promise<void> {
  deleted.length = 0;
  for (const table of TABLES) {
    await unchecked(world, `DELETE FROM ${table}`);
    for (const row of dump[table] ?? []) {
      await insert(world, table, row);
    }
  }
}

/** All that happens in the legacy service, by its name. */
export const ACTS_THERE: Record<string, (life: LifeThere) => Promise<void>> = {
  'add an account': addAccount,
  'add a token': addSomeToken,
  'change a column': changeColumn,
  'change another column': changeColumn,
  'change a third column': changeColumn,
  'delete a row': deleteRow,
  'restore rows': restoreRows,
  'renumber an account': renumber,
  'change an owner': changeOwner,
  'exchange e-mails': exchangeEmails,
};
