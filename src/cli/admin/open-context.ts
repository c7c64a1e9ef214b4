import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type { Writable } from 'node:stream';
import { openLeavingDesk } from '../../app/open-leaving.ts';
import { openDocumentStore } from '../../app/open-storage.ts';
import { Accounts, type KnownAccount } from '../../auth/accounts.ts';
import { Administration } from '../../auth/administration.ts';
import { searchAudit } from '../../auth/audit/audit-search.ts';
import { AuditTrail } from '../../auth/audit/audit-trail.ts';
import type { Actor } from '../../auth/caller.ts';
import { AccessTokens } from '../../auth/tokens/access-tokens.ts';
import { TokenUses } from '../../auth/tokens/token-uses.ts';
import type { Config } from '../../config/config.ts';
import { openBesideGateway } from '../../database/open-beside-gateway.ts';
import { DocumentUrls } from '../../documents/document-urls.ts';
import { UrlSigner } from '../../documents/url-signer.ts';
import { NotFoundError } from '../../errors/errors.ts';
import { objectIds } from '../../models/ids.ts';
import { createModels } from '../../models/models.ts';
import { systemClock } from '../../system/clock.ts';
import { createLog } from '../../system/log.ts';
import type { CommandContext, WhichAccount } from './command.ts';

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
  const closers = [close, () => audit.close()];
  const openLeaving = async () => {
    const documents = await openDocumentStore(config);
    closers.push(() => documents.close());
    return openLeavingDesk({ config, log, storage: { connection, models, documents }, clock, audit });
  };
  const signer = config.documentSigning && new UrlSigner(config.documentSigning, clock);
  const context = {
    administration: new Administration({ accounts, tokens, audit, clock }),
    findAccount: (which: WhichAccount) => findAccount(accounts, which),
    openLeaving,
    // Without BASE_URL the address of the gateway is not known here: the URLs are paths.
    urls: new DocumentUrls(() => config.baseUrl ?? '', signer),
    searchAudit: searchAudit.bind(undefined, models.auditEvents),
    operator: operator(),
  };
  return { context, close: () => closeAll(closers) };
}

/** Closes the parts, the last one first. A failure does not keep the others open. */
async function closeAll(closers: (() => Promise<void>)[]): Promise<void> {
  const close = closers.pop();
  if (close) {
    await close().finally(() => closeAll(closers));
  }
}

async function findAccount(accounts: Accounts, which: WhichAccount): Promise<KnownAccount> {
  const isById = 'accountId' in which;
  const account = await (isById ? accounts.findById(which.accountId) : accounts.findByEmail(which.email));
  if (!account) {
    throw new NotFoundError(isById ? 'No account has this id.' : 'No account has this e-mail.');
  }
  return account;
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
