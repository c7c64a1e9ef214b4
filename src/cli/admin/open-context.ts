import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type { Writable } from 'node:stream';
import { openLeavingAdmin } from '../../app/open-leaving.ts';
import { openDocumentStore } from '../../app/open-storage.ts';
import { AuditTrail } from '../../auth/audit/audit-trail.ts';
import type { Actor } from '../../auth/caller.ts';
import { AccountAdmin } from '../../auth/operators/account-admin.ts';
import { AccountDirectory } from '../../auth/operators/account-directory.ts';
import { TokenAdmin } from '../../auth/operators/token-admin.ts';
import { ResetLinks } from '../../auth/password-changes/reset-links.ts';
import { ResetTokens } from '../../auth/password-changes/reset-tokens.ts';
import { createPasswordCheck } from '../../auth/passwords/password-check.ts';
import { PasswordHasher } from '../../auth/passwords/password-hasher.ts';
import { Reviews } from '../../auth/reviews/reviews.ts';
import { AccessTokens } from '../../auth/tokens/access-tokens.ts';
import { TokenUses } from '../../auth/tokens/token-uses.ts';
import type { Config } from '../../config/config.ts';
import { openBesideGateway } from '../../database/open-beside-gateway.ts';
import type { Database } from '../../database/open-database.ts';
import { DocumentUrls } from '../../documents/document-urls.ts';
import { UrlSigner } from '../../documents/url-signer.ts';
import { DatabaseOutbox } from '../../mail/database-outbox.ts';
import { noOutbox } from '../../mail/outbox.ts';
import { openIds } from '../../stores/ids.ts';
import { requireSchema } from '../../stores/schema-version.ts';
import { openStores } from '../../stores/stores.ts';
import { systemClock } from '../../system/clock.ts';
import { createLog, type Logger } from '../../system/log.ts';
import type { CommandContext } from './command.ts';
import { type Input, readFirstLine } from './read-line.ts';

/** What a command has besides the settings. */
interface Surroundings {
  /** The operator's name; undefined if none was given. */
  as: string | undefined;
  stdin: Input;
  /** Receives the log, away from the output of the command. */
  log: Writable;
}

/**
 * Opens the gateway's database for an operator.
 * @returns the context of commands, and a function that closes it; all events are then in the audit trail
 * @throws if there is no database, or it cannot be opened
 */
export async function openContext(
  config: Config,
  { as, stdin, log: logOutput }: Surroundings,
): Promise<{ context: CommandContext; close(): Promise<void> }> {
  const database = await openBesideGateway(config.database, {
    mayCreate: false,
    prepare: requireSchema,
  });
  const parts = openParts(config, database, createLog(config.logLevel, logOutput));
  const { stores, audit, accounts, clock } = parts;
  const closers = [() => database.close(), () => audit.close()];
  const openDocuments = async () => {
    const documents = await openDocumentStore(config);
    closers.push(() => documents.close());
    return documents;
  };
  const signer = config.documentSigning && new UrlSigner(config.documentSigning, clock);
  const operator = operatorOf(as);
  const context: CommandContext = {
    directory: new AccountDirectory(accounts, stores.doctors),
    accounts: new AccountAdmin({ ...parts, ids: parts.ids.accounts }),
    tokens: new TokenAdmin(parts),
    resetLinks: new ResetLinks({ ...parts, urlTemplate: config.passwordResetUrl }),
    openReviews: async () => {
      return new Reviews({ ...parts, doctors: stores.doctors, documents: await openDocuments() });
    },
    openLeaving: async () => {
      const storage = { stores, documents: await openDocuments() };
      return openLeavingAdmin({ ...parts, config, storage });
    },
    // Without BASE_URL the address of the gateway is not known here: the URLs are paths.
    urls: new DocumentUrls(() => config.baseUrl ?? '', signer),
    searchAudit: (search) => stores.auditEvents.search(search),
    operator,
    noteReading: (what, account) =>
      audit.write(
        { act: 'reading', cause: what, ...(account && { accountId: account.id, email: account.email }) },
        operator,
      ),
    passwordMinCharacters: config.passwordMinCharacters,
    passwordCheck: createPasswordCheck(config.passwordCheckKind, config.passwordMinCharacters),
    readLine: () => readFirstLine(stdin),
  };
  return { context, close: () => closeAll(closers) };
}

/** The parts of the domain, as the gateway has them. */
function openParts(config: Config, database: Database, log: Logger) {
  const stores = openStores(database);
  const clock = systemClock;
  const { auditRetentionMillis: retentionMillis, tokenLifetimes: lifetimes } = config;
  const audit = new AuditTrail({ events: stores.auditEvents, retentionMillis, clock, log });
  const uses = new TokenUses({ tokens: stores.accessTokens, lifetimes, clock, log });
  const ids = openIds(config.idFormat, stores.ids);
  return {
    stores,
    ids,
    audit,
    accounts: stores.accounts,
    resetTokens: new ResetTokens(stores.resetTokens, clock),
    tokens: new AccessTokens(stores.accessTokens, uses, lifetimes, config.tokenPrefix, clock, ids.tokens),
    hasher: new PasswordHasher(config.bcryptCost, 1, clock),
    outbox: config.mail ? new DatabaseOutbox(stores.messages, clock) : noOutbox,
    clock,
    log,
  };
}

/** Closes the parts, the last one first. A failure does not keep the others open. */
async function closeAll(closers: (() => Promise<void>)[]): Promise<void> {
  const close = closers.pop();
  if (close) {
    await close().finally(() => closeAll(closers));
  }
}

function operatorOf(as: string | undefined): Actor {
  const user = systemUser();
  return {
    channel: 'admin',
    ip: '',
    requestId: randomUUID(),
    userAgent: undefined,
    operator: as ?? user,
    systemUser: user,
  };
}

/** The user of the process according to the system, not to the environment. In a container a user may have no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
