import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { EmbeddedMongoLockedError } from '@auth-gateway/embedded-mongo';
import { Accounts } from '../../auth/accounts.ts';
import { Administration } from '../../auth/administration.ts';
import { searchAudit } from '../../auth/audit/audit-search.ts';
import { type AuditedCaller, AuditTrail } from '../../auth/audit/audit-trail.ts';
import { AccessTokens } from '../../auth/tokens/access-tokens.ts';
import { TokenUses } from '../../auth/tokens/token-uses.ts';
import type { Config } from '../../config/config.ts';
import { type Database, type DatabaseConfig, openDatabase } from '../../database/open-database.ts';
import { createModels } from '../../models/models.ts';
import { createLog } from '../../system/log.ts';
import type { Office } from './command.ts';

/**
 * Opens the gateway's database for an operator.
 * @returns the office, and how it is closed: what was done is then in the audit trail
 * @throws when there is no database, or it cannot be opened
 */
export async function openOffice(config: Config): Promise<{ office: Office; close(): Promise<void> }> {
  const { connection, close } = await openBesideGateway(config.database);
  const models = createModels(connection);
  const log = createLog(config.logLevel, process.stderr);
  const audit = new AuditTrail(models.auditEvents, config.auditRetentionMillis, log);
  const { tokenLifetimes } = config;
  const uses = new TokenUses(models.tokens, tokenLifetimes, log);
  const tokens = new AccessTokens(models.tokens, uses, tokenLifetimes, config.tokenPrefix);
  const administration = new Administration({ accounts: new Accounts(models.accounts), tokens, audit });
  const office = {
    administration,
    searchAudit: searchAudit.bind(undefined, models.auditEvents),
    caller: operator(),
  };
  return { office, close: () => audit.close().finally(close) };
}

const operator = (): AuditedCaller => ({
  door: 'admin',
  ip: '',
  requestId: randomUUID(),
  userAgent: undefined,
  operator: systemUser(),
  identify: () => {},
});

/** The user of the process according to the system, not to the environment. In a container a user may have no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

/** The gateway has made the indexes. */
const prepareNothing = async () => {};

/** An embedded database that a gateway has open is reached through that gateway's engine. */
async function openBesideGateway(config: DatabaseConfig): Promise<Database> {
  // A mistyped folder is an error, not a new database.
  if (config.kind === 'embedded' && !existsSync(path.join(config.dataDir, 'data.mdb'))) {
    throw new Error(
      `There is no embedded database in ${config.dataDir} (DATA_DIR), and MONGODB_URI is not set.`,
    );
  }
  try {
    return await openDatabase(config, prepareNothing);
  } catch (error) {
    if (!(error instanceof EmbeddedMongoLockedError) || error.ownerPort === undefined) throw error;
    const uri = `mongodb://127.0.0.1:${error.ownerPort}/?directConnection=true`;
    return openDatabase({ kind: 'mongodb', uri }, prepareNothing);
  }
}
