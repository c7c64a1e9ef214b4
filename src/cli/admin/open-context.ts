import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { EmbeddedMongoLockedError } from '@auth-gateway/embedded-mongo';
import { Accounts } from '../../auth/accounts.ts';
import { Administration } from '../../auth/administration.ts';
import { searchAudit } from '../../auth/audit/audit-search.ts';
import { AuditTrail } from '../../auth/audit/audit-trail.ts';
import type { Actor } from '../../auth/caller.ts';
import { AccessTokens } from '../../auth/tokens/access-tokens.ts';
import { TokenUses } from '../../auth/tokens/token-uses.ts';
import type { Config } from '../../config/config.ts';
import { type Database, type DatabaseConfig, openDatabase } from '../../database/open-database.ts';
import { createModels } from '../../models/models.ts';
import { systemClock } from '../../system/clock.ts';
import { createLog } from '../../system/log.ts';
import type { CommandContext } from './command.ts';

/**
 * Opens the gateway's database for an operator.
 * @param logOutput receives the log, away from the output of the command
 * @returns the context of commands, and a function that closes it; all events are then in the audit trail
 * @throws if there is no database, or it cannot be opened
 */
export async function openContext(
  config: Config,
  logOutput: Writable,
): Promise<{ context: CommandContext; close(): Promise<void> }> {
  const { connection, close } = await openBesideGateway(config.database);
  const models = createModels(connection);
  const log = createLog(config.logLevel, logOutput);
  const clock = systemClock;
  const { auditRetentionMillis: retentionMillis, tokenLifetimes: lifetimes } = config;
  const audit = new AuditTrail({ events: models.auditEvents, retentionMillis, clock, log });
  const uses = new TokenUses({ tokens: models.tokens, lifetimes, clock, log });
  const tokens = new AccessTokens(models.tokens, uses, lifetimes, config.tokenPrefix, clock);
  const accounts = new Accounts(models.accounts, clock);
  const context = {
    administration: new Administration({ accounts, tokens, audit, clock }),
    searchAudit: searchAudit.bind(undefined, models.auditEvents),
    operator: operator(),
  };
  return { context, close: () => audit.close().finally(close) };
}

const operator = (): Actor => ({
  door: 'admin',
  ip: '',
  requestId: randomUUID(),
  userAgent: undefined,
  operator: systemUser(),
});

/** The user of the process according to the system, not to the environment. In a container a user may have no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

/** No caller of a command needs an answer within 2 s, so a command waits longer for a busy database. */
const MAX_WAIT_MILLIS = 10_000;
const options = {
  serverSelectionTimeoutMS: MAX_WAIT_MILLIS,
  connectTimeoutMS: MAX_WAIT_MILLIS,
  waitQueueTimeoutMS: MAX_WAIT_MILLIS,
  socketTimeoutMS: MAX_WAIT_MILLIS,
};

/** Does nothing, because the gateway has made the indexes. */
const prepareNothing = async () => {};

/** Opens the database. If a gateway has an embedded database open, the command uses that gateway's engine. */
async function openBesideGateway(config: DatabaseConfig): Promise<Database> {
  // A mistyped folder is an error, not a new database.
  if (config.kind === 'embedded' && !existsSync(path.join(config.dataDir, 'data.mdb'))) {
    throw new Error(
      `There is no embedded database in ${config.dataDir} (DATA_DIR), and MONGODB_URI is not set.`,
    );
  }
  try {
    return await openDatabase(config, prepareNothing, { options });
  } catch (error) {
    if (!(error instanceof EmbeddedMongoLockedError) || error.ownerPort === undefined) {
      throw error;
    }
    const uri = `mongodb://127.0.0.1:${error.ownerPort}/?directConnection=true`;
    return openDatabase({ kind: 'mongodb', uri }, prepareNothing, { options });
  }
}
