import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { openDocumentStore } from '../../app/storage.ts';
import { TwoFactorPolicy } from '../../auth/two-factor/policy.ts';
import { keyIdsOf } from '../../auth/two-factor/secret-cipher.ts';
import type { Config } from '../../config/config.ts';
import { isLoopback } from '../../config/loopback.ts';
import { databaseIdOf } from '../../database/database-id.ts';
import { type LimitedConnection, REQUEST_EXCHANGE_MILLIS } from '../../database/exchange-limit.ts';
import { hasDatabase, openBesideGateway } from '../../database/open-beside-gateway.ts';
import type { DatabaseConfig } from '../../database/server.ts';
import { type Connecting, connectingOf, type Greeting, greetingOf } from '../../database/server-greeting.ts';
import { ROLES } from '../../stores/accounts.ts';
import { AttemptStore } from '../../stores/attempts.ts';
import { SecretStore } from '../../stores/secrets.ts';
import { openStores, type Stores } from '../../stores/stores.ts';
import type { Clock } from '../../system/clock.ts';
import { messageOf } from '../../system/system-errors.ts';
import { type Check, error, type Finding, note, ok, warning } from './check.ts';
import { judgeClock } from './clock-difference.ts';
import { indexFindings, judgeSchema } from './schema-findings.ts';

/** The database: how it is set up, its clock, its indexes, and that it keeps what is written. */
export const databaseCheck: Check = {
  name: 'database',
  maxMillis: 45_000,
  async *run({ config, clock }) {
    const obstacle = await obstacleTo(config);
    if (obstacle) {
      yield obstacle;
      if (obstacle.level === 'note') {
        yield* storeFindings(config, undefined);
      }
      return;
    }
    const opened = await openBesideGateway(config.database, { mayCreate: false }).catch((failure: unknown) =>
      cannotOpen(failure, config),
    );
    if ('level' in opened) {
      yield opened;
      return;
    }
    const { connection, close } = opened;
    const database = { connection, limit: { maxMillis: REQUEST_EXCHANGE_MILLIS, clock } };
    try {
      const { greeting, version, ...times } = await greetingOf(database);
      const connecting = connectingOf(connection);
      yield* topologyFindings(config.database, { greeting, version, connecting });
      yield await judgeSchema(database);
      yield { check: 'clock', ...judgeClock({ of: 'the database', stepMillis: 0, ...times }) };
      for await (const finding of indexFindings(database)) {
        yield { check: 'indexes', ...finding };
      }
      yield await writeAndReadBack(database);
      for await (const finding of secondFactorFindings(config, openStores(database), clock)) {
        yield { check: 'second factor', ...finding };
      }
      yield* storeFindings(config, await new SecretStore(database).find('known-places'));
    } finally {
      await close();
    }
  },
};

/** Why the database is not opened; undefined if it can be. */
async function obstacleTo({ database }: Config): Promise<Finding | undefined> {
  if (database.kind === 'memory') {
    const todo = 'Set DATA_DIR to a folder, or MONGODB_URI.';
    return warning(
      'DATA_DIR is :memory:, so all data is lost when the gateway stops, and the checker cannot check it.',
      todo,
    );
  }
  if (database.kind === 'mongodb') {
    return undefined;
  }
  const { dataDir } = database;
  if (!hasDatabase(dataDir)) {
    return note(`There is no embedded database in ${dataDir} (DATA_DIR) yet: the first start creates it.`);
  }
  const { uid } = await stat(dataDir);
  if (process.getuid && uid !== process.getuid()) {
    // Files that this user makes there would keep the gateway out.
    return error(
      `${dataDir} (DATA_DIR) belongs to another user, so the database was not opened.`,
      'Run the checker as the user of the gateway.',
    );
  }
  return undefined;
}

function cannotOpen(failure: unknown, { database }: Config): Finding {
  const todo =
    database.kind === 'mongodb'
      ? 'Check MONGODB_URI: host, port, user, password, authSource and tls. Then check that MongoDB runs and accepts connections from this machine.'
      : 'Check DATA_DIR, the free space of its disk, and the permissions of its files. auth-gateway db verify checks the database itself.';
  return error(`The database cannot be opened: ${messageOf(failure)}`, todo);
}

/** How the database is set up. */
export function* topologyFindings(
  config: DatabaseConfig,
  server: { greeting: Greeting; version: string; connecting: Connecting },
): Generator<Finding> {
  if (config.kind !== 'mongodb') {
    yield ok(
      'The embedded database is open. It serves one gateway, and its backup is auth-gateway db backup.',
    );
    return;
  }
  yield judgeMembers(server.greeting);
  yield judgeVersion(server.version);
  yield* judgeConnection(server.connecting);
}

const MEMBERS = 3;

function judgeMembers({ setName, hosts = [], passives = [], arbiters = [], msg }: Greeting): Finding {
  if (msg === 'isdbgrid') {
    return ok('MongoDB is a sharded cluster. Its collection events must not be sharded.');
  }
  const todo = 'Use a replica set of three data-bearing members: docs/operations.md, "Replica set".';
  if (setName === undefined) {
    return warning(
      'MongoDB is a standalone server: if its machine fails, nobody can log in, and if its disk fails, the data is lost.',
      todo,
    );
  }
  const members = hosts.length + passives.length;
  if (members < MEMBERS) {
    const withArbiters = arbiters.length > 0 ? ` and ${arbiters.length} arbiters` : '';
    const text = `The replica set has ${members} data-bearing members${withArbiters}: if one fails, all writes may stop.`;
    return warning(text, todo);
  }
  return ok(
    `MongoDB is a replica set of ${members} members. A write is done when the majority has it in the journal.`,
  );
}

/** The support of 6.0 ended in July 2025. https://www.mongodb.com/legal/support-policy/lifecycles */
const OLDEST_SUPPORTED = 7;

/** On which databases the tests of the gateway have been run (docs/operations/database.md, "Versions of MongoDB"). */
const TESTED =
  "The gateway's tests ran on MongoDB 5.0.7 as a lone server, and on 8.0.10 alone, with TLS and few rights, and as a replica set of three with killed primaries. Nobody has run them on 6.0 and 7.0 yet.";

function judgeVersion(version: string): Finding {
  const major = Number.parseInt(version, 10);
  const todo = `Plan an upgrade, one major version at a time, and try it on a copy first. ${TESTED}`;
  return major < OLDEST_SUPPORTED
    ? warning(`MongoDB ${version} is out of support: it gets no security fixes.`, todo)
    : ok(`MongoDB has version ${version}. ${TESTED}`);
}

/** A socket of the file system has no host. */
const isOfThisMachine = (host: string | undefined): boolean => host === undefined || isLoopback(host);

/** The connection to the database: who may use it, and who can read along. */
function* judgeConnection({ hosts, hasCredentials, isEncrypted }: Connecting): Generator<Finding> {
  const isNear = hosts.every(isOfThisMachine);
  if (!hasCredentials) {
    const todo =
      'Create a MongoDB user with readWrite on this database only, enable authorization, and put the user and the password into MONGODB_URI.';
    const text = 'MongoDB needs no password, so';
    yield isNear
      ? warning(`${text} every user of this machine can read and change the data.`, todo)
      : error(`${text} everybody on the network can read and change the data.`, todo);
  }
  if (!isNear && !isEncrypted) {
    const todo = 'Add tls=true to MONGODB_URI, unless the network itself is encrypted.';
    yield warning(
      'The connection to MongoDB is not encrypted: others on the network can read password hashes and health data.',
      todo,
    );
  }
}

/** If the checker is killed, the database removes what it has written after this time. */
const KEPT_MILLIS = 600_000;

/** A request waits for several exchanges, 1.5 s in all. */
const SLOW_MILLIS = 200;

/**
 * Writes a document as the gateway does, reads it back, changes it and removes it. It is in the collection of attempts, which
 * removes old documents by itself.
 */
async function writeAndReadBack(database: LimitedConnection): Promise<Finding> {
  const key = `doctor:${randomBytes(12).toString('hex')}`;
  const expire = new Date(Date.now() + KEPT_MILLIS);
  const { isKept, writeMillis } = await new AttemptStore(database).probe(key, expire);
  return isKept
    ? judgeTime(writeMillis)
    : error('The database does not return what was written.', 'Look at the log of the database.');
}

function judgeTime(millis: number): Finding {
  const text = `A document was written, read back and removed; the write took ${Math.ceil(millis)} ms`;
  const todo = 'Check the disk and the load of the database, and the network to it.';
  return millis > SLOW_MILLIS ? warning(`${text}. That is slow: logins wait for it.`, todo) : ok(`${text}.`);
}

/**
 * Compares the id that the document store carries with that of the database. The check of the documents reports a store that
 * cannot be used.
 * @param placesKey the stored secret `known-places`; undefined if the database is new
 */
async function* storeFindings(
  config: Pick<Config, 'storageDir' | 's3'>,
  placesKey: Buffer | undefined,
): AsyncGenerator<Finding & { check: string }> {
  const store = await openDocumentStore(config);
  const id = await store
    .readId()
    .catch(() => undefined)
    .finally(() => store.close());
  if (id !== undefined && (placesKey === undefined || id !== databaseIdOf(placesKey))) {
    const text = 'The document store belongs to another database, so the sweep removes nothing.';
    const todo = `Check DATA_DIR or MONGODB_URI: docs/operations.md, "Remove leftovers with auth-gateway sweep".`;
    yield { check: 'documents', ...warning(text, todo) };
  }
}

/** Kills leave fewer apps that no account names. */
const MANY = 1_000;

/** The second factors: whether the gateway can read their secrets, and whether reviewers have one. */
async function* secondFactorFindings(
  { twoFactor }: Pick<Config, 'twoFactor'>,
  { accounts, factors }: Pick<Stores, 'accounts' | 'factors'>,
  clock: Clock,
): AsyncGenerator<Finding> {
  const keyIds = keyIdsOf(twoFactor.secrets);
  const unreadable = await factors.findWithOtherKey(keyIds, MANY);
  if (unreadable.length === MANY || (unreadable.length > 0 && (await accounts.hasAnyApp(unreadable)))) {
    yield error(
      'TWO_FACTOR_SECRET lacks a line that stored secrets of authenticator apps need: the gateway does not start.',
      'Put the former line back, behind the others: docs/operations/second-factor.md, "Replace the secret".',
    );
    return;
  }
  if (keyIds.length > 1) {
    const old = await factors.countWithOtherKey(keyIds.slice(0, 1));
    yield old > 0
      ? note(
          `${old} secrets of authenticator apps still need another line of TWO_FACTOR_SECRET than the first.`,
          'Keep those lines. Each secret is encrypted again when its owner next uses a code.',
        )
      : ok('No secret of an authenticator app needs another line of TWO_FACTOR_SECRET than the first.');
  }
  if (new TwoFactorPolicy(twoFactor, clock).names(ROLES.REVIEWER)) {
    const off = (await accounts.countFactors()).get(ROLES.REVIEWER)?.off ?? 0;
    yield off > 0
      ? warning(
          `Reviewers without the second factor that TWO_FACTOR_REQUIRED asks for: ${off}. They cannot review.`,
          'auth-gateway admin accounts list --role reviewer --without-two-factor shows who. Ask them to set one up.',
        )
      : ok('All reviewers have a second factor.');
  }
}
