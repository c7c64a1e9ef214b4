import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type { Writable } from 'node:stream';
import { Accounts } from '../../auth/accounts.ts';
import { Administration } from '../../auth/administration.ts';
import { searchAudit } from '../../auth/audit/audit-search.ts';
import { AuditTrail } from '../../auth/audit/audit-trail.ts';
import type { Actor } from '../../auth/caller.ts';
import { ResetLinks } from '../../auth/password-changes/reset-links.ts';
import { ResetTokens } from '../../auth/password-changes/reset-tokens.ts';
import { AccessTokens } from '../../auth/tokens/access-tokens.ts';
import { TokenUses } from '../../auth/tokens/token-uses.ts';
import type { Config } from '../../config/config.ts';
import { openBesideGateway } from '../../database/open-beside-gateway.ts';
import { objectIds } from '../../models/ids.ts';
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
  const { connection, close } = await openBesideGateway(config.database, { mayCreate: false });
  const models = createModels(connection);
  const log = createLog(config.logLevel, logOutput);
  const clock = systemClock;
  const { auditRetentionMillis: retentionMillis, tokenLifetimes: lifetimes } = config;
  const audit = new AuditTrail({ events: models.auditEvents, retentionMillis, clock, log });
  const uses = new TokenUses({ tokens: models.tokens, lifetimes, clock, log });
  const tokens = new AccessTokens(models.tokens, uses, lifetimes, config.tokenPrefix, clock, objectIds);
  const accounts = new Accounts(models.accounts, clock);
  const context = {
    administration: new Administration({ accounts, tokens, audit, clock }),
    resetLinks: new ResetLinks({
      accounts,
      resetTokens: new ResetTokens(models.resetTokens, clock),
      audit,
      urlTemplate: config.passwordResetUrl,
    }),
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
