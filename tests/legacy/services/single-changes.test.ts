import type { Kind } from '../../../src/legacy/source/legacy-tables.ts';
import { verify } from '../../../src/legacy/verify.ts';
import { addLegacyRows } from '../support/legacy-tables.mjs';
import { runImport, runSync } from '../support/life/commands.ts';
import { Random } from '../support/life/random.ts';
import { openWorld, type World } from '../support/life/world.ts';

/** A change of each kind is made at so many places. */
const PLACES = 12;
/** One row of so many changes. A batch of the journal has four times as many. */
const ROWS_OF_A_PLACE = 250;
const ROWS = PLACES * ROWS_OF_A_PLACE;
/** Added to the keys of rows that are inserted, or get another key. */
const NEW = 1_000_000;
/** Accounts without profiles, for profiles that are inserted or get another owner. */
const FIRST_OWNER = 2 * NEW;

let world: World;
const random = new Random(33);
beforeAll(async () => {
  world = await openWorld();
  const { query } = world.legacy;
  await addLegacyRows(query, { accounts: ROWS, tokens: ROWS, doctorEvery: 1 });
  await addLegacyRows(query, { accounts: 2 * PLACES, doctorEvery: 0, firstId: FIRST_OWNER });
  await runImport(world, undefined);
});
afterAll(() => world?.stop());

/** A statement with ids in it, and the keys of the rows that it concerns. */
interface Change {
  sql: string;
  keys?: (ids: Ids) => number[];
}
interface Ids {
  /** A row that nothing has changed yet. */
  id: number;
  /** An account without a profile. */
  owner: number;
  /** The row of the change before, at the same place. */
  former: number;
}

const set = (table: string) => (assignment: string) => ({
  sql: `UPDATE ${table} SET ${assignment} WHERE id = :id`,
});
const [account, profile, token] = ['accounts', 'doctor_profiles', 'personal_access_tokens'].map(set) as [
  ReturnType<typeof set>,
  ReturnType<typeof set>,
  ReturnType<typeof set>,
];
const later = (column: string) => `${column} = ${column} + INTERVAL 1 SECOND`;
const otherFile = (column: string) => `${column} = REPLACE(${column}, '.pdf', '.png')`;
const newKey = ({ id }: Ids) => [id, id + NEW];
const onlyNewKey = ({ id }: Ids) => [id + NEW];
const formerKey = ({ former }: Ids) => [former];

/** Some differ only for a comparison that knows letters and their cases. */
const CHANGES: Record<Kind, Record<string, Change>> = {
  accounts: {
    name: account('name = UPPER(name)'),
    email: account("email = CONCAT('P', SUBSTR(email, 2))"),
    phone: account("phone = CONCAT(phone, '0')"),
    dob: account("dob = IF(dob IS NULL, '1984-02-29', NULL)"),
    role: account("role = 'patient'"),
    password: account("password = CONCAT(LEFT(password, 30), 'abc', SUBSTR(password, 34))"),
    created_at: account(later('created_at')),
    updated_at: account(later('updated_at')),
    email_verified_at: account('email_verified_at = created_at'),
    'a role that does not move': account("role = 'admin'"),
    'a soft delete': account('deleted_at = NOW()'),
    'a restore': { sql: 'UPDATE accounts SET deleted_at = NULL WHERE id = :former', keys: formerKey },
    'an insert': {
      sql: `INSERT INTO accounts SELECT id + ${NEW}, name, CONCAT('new', email), CONCAT('9', phone), dob, role, password,
        created_at, updated_at, NULL, email_verified_at FROM accounts WHERE id = :id`,
      keys: onlyNewKey,
    },
    'another key': {
      sql: `SET FOREIGN_KEY_CHECKS = 0; UPDATE accounts SET id = id + ${NEW} WHERE id = :id`,
      keys: newKey,
    },
    'a delete': { sql: 'SET FOREIGN_KEY_CHECKS = 0; DELETE FROM accounts WHERE id = :id' },
  },
  profiles: {
    specialization: profile("specialization = 'cardiology'"),
    license_number: profile("license_number = CONCAT(license_number, 'x')"),
    license_file_path: profile(otherFile('license_file_path')),
    diploma_file_path: profile(otherFile('diploma_file_path')),
    certification_file_path: profile('certification_file_path = NULL'),
    current_institution: profile("current_institution = 'Cíty Hospital'"),
    work_history: profile("work_history = 'Long'"),
    publications: profile("publications = 'Many'"),
    practice_address: profile("practice_address = '1 Main Street'"),
    created_at: profile(later('created_at')),
    'an insert': {
      sql: `INSERT INTO doctor_profiles SELECT id + ${NEW}, :owner, specialization, CONCAT('new', license_number),
        license_file_path, diploma_file_path, certification_file_path, current_institution, work_history, publications,
        practice_address, created_at, updated_at FROM doctor_profiles WHERE id = :id`,
      keys: ({ owner }) => [owner],
    },
    'another owner': {
      sql: 'UPDATE doctor_profiles SET user_id = :owner WHERE id = :id',
      keys: ({ id, owner }) => [id, owner],
    },
    'a delete': { sql: 'DELETE FROM doctor_profiles WHERE id = :id' },
  },
  tokens: {
    name: token("name = 'Auth-token'"),
    token: token('token = SHA2(token, 256)'),
    abilities: token('abilities = \'["read"]\''),
    last_used_at: token("last_used_at = '2025-01-01 00:00:00'"),
    expires_at: token("expires_at = '2037-01-01 00:00:00'"),
    created_at: token(later('created_at')),
    'another owner': token(`tokenable_id = ${FIRST_OWNER}`),
    'another class': token("tokenable_type = 'App\\\\\\\\Models\\\\\\\\Clinic'"),
    'an insert': {
      sql: `INSERT INTO personal_access_tokens SELECT id + ${NEW}, tokenable_type, tokenable_id, name, SHA2(CONCAT('new', id), 256),
        abilities, last_used_at, expires_at, created_at, updated_at FROM personal_access_tokens WHERE id = :id`,
      keys: onlyNewKey,
    },
    'another key': { sql: `UPDATE personal_access_tokens SET id = id + ${NEW} WHERE id = :id`, keys: newKey },
    'a delete': { sql: 'DELETE FROM personal_access_tokens WHERE id = :id' },
  },
};
const KINDS = Object.keys(CHANGES) as Kind[];
const ROUNDS = Math.max(...KINDS.map((kind) => Object.keys(CHANGES[kind]).length));

/** The changed rows. Each has one change, whatever its table. */
const used = new Set<number>();
function unusedAt(place: number): number {
  for (;;) {
    const id = 1 + place * ROWS_OF_A_PLACE + random.below(ROWS_OF_A_PLACE);
    if (!used.has(id)) {
      used.add(id);
      return id;
    }
  }
}

const former = new Map<string, number>();
let nextOwner = FIRST_OWNER;

/** Makes a change at all places. @returns the keys of the changed rows */
async function make(kind: Kind, { sql, keys = ({ id }) => [id] }: Change): Promise<string[]> {
  const changed: number[] = [];
  for (let place = 0; place < PLACES; place += 1) {
    const ids = { id: unusedAt(place), owner: nextOwner, former: former.get(`${kind} ${place}`) ?? 0 };
    nextOwner += sql.includes(':owner') ? 1 : 0;
    former.set(`${kind} ${place}`, ids.id);
    await world.legacy.query(sql.replace(/:(id|owner|former)/g, (_, name: keyof Ids) => `${ids[name]}`));
    changed.push(...keys(ids));
  }
  return changed.map(String).sort();
}

/** The keys of the rows that `verify` finds, by kind. A later use is no difference, but it finds that as well. */
async function found(): Promise<Record<string, string[]>> {
  await world.command(undefined, (context) => verify({ ...context, filesDir: undefined }, undefined));
  const isFound = ({ outcome, reason }: (typeof world.found)[number]) =>
    outcome !== 'kept' || reason === 'it was used there since';
  const of = (kind: Kind) =>
    world.found.flatMap((one) => (one.kind === kind && isFound(one) ? [one.id] : []));
  return Object.fromEntries(KINDS.map((kind) => [kind, of(kind).sort()]));
}

test('verify finds each single change of a row among many, and sync takes it', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const changed: Record<string, string[]> = {};
    const names: string[] = [];
    for (const kind of KINDS) {
      const [name, change] = Object.entries(CHANGES[kind])[round] ?? [];
      changed[kind] = change ? await make(kind, change) : [];
      names.push(`${kind}: ${name}`);
    }
    expect({ names, ...(await found()) }).toEqual({ names, ...changed });
    await runSync(world);
  }
  expect(await found()).toEqual({ accounts: [], profiles: [], tokens: [] });
});
