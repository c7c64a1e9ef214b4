import { stat } from 'node:fs/promises';
import type { Config } from '../../../config/config.ts';
import { REQUEST_EXCHANGE_MILLIS } from '../../../database/exchange-limit.ts';
import { hasDatabase, openBesideGateway } from '../../../database/open-beside-gateway.ts';
import { connectingOf, greetingOf } from '../../../database/server-greeting.ts';
import { SecretStore } from '../../../stores/secrets.ts';
import { messageOf } from '../../../system/system-errors.ts';
import type { Check } from '../check.ts';
import { judgeClock } from '../clock-difference.ts';
import { storeFindings } from '../database/document-store.ts';
import { indexFindings } from '../database/indexes.ts';
import { judgeSchema } from '../database/schema.ts';
import { topologyFindings } from '../database/topology.ts';
import { writeAndReadBack } from '../database/write-and-read-back.ts';
import { error, type Finding, note, warning } from '../finding.ts';

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
    return warning('DATA_DIR is :memory:, so nothing outlives the gateway, and only it has its data.', todo);
  }
  if (database.kind === 'mongodb') {
    return undefined;
  }
  const { dataDir } = database;
  if (!hasDatabase(dataDir)) {
    return note(`There is no embedded database in ${dataDir} (DATA_DIR) yet: the first start makes it.`);
  }
  const { uid } = await stat(dataDir);
  if (process.getuid && uid !== process.getuid()) {
    // Files that this user makes there would keep the gateway out.
    return error(
      `${dataDir} (DATA_DIR) belongs to another user, so the database was not opened.`,
      'Run the doctor as the user of the gateway.',
    );
  }
  return undefined;
}

function cannotOpen(failure: unknown, { database }: Config): Finding {
  const todo =
    database.kind === 'mongodb'
      ? 'Check MONGODB_URI: host, port, user, password, authSource and tls; then whether MongoDB runs and lets this machine in.'
      : 'Check DATA_DIR and the rights of its files; npm run db:verify looks at the database itself.';
  return error(`The database cannot be opened: ${messageOf(failure)}`, todo);
}
