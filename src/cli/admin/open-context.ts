import { userInfo } from 'node:os';
import type { Writable } from 'node:stream';
import { openAdministration } from '../../app/administration.ts';
import { openDomain } from '../../app/domain.ts';
import { openDocumentStore } from '../../app/storage.ts';
import { ErasureAdmin } from '../../auth/admin/erasure-admin.ts';
import { type Actor, commandActor } from '../../auth/caller.ts';
import { Erasure } from '../../auth/privacy/erasure.ts';
import { PersonalDataExport } from '../../auth/privacy/personal-data.ts';
import { Reviews } from '../../auth/reviews/reviews.ts';
import type { Config } from '../../config/config.ts';
import { localUrl } from '../../config/people-settings.ts';
import { openBesideGateway } from '../../database/open-beside-gateway.ts';
import { DocumentUrls } from '../../documents/document-urls.ts';
import { requireSchema } from '../../stores/schema-version.ts';
import { openStores } from '../../stores/stores.ts';
import { systemClock } from '../../system/clock.ts';
import { createLog } from '../../system/log.ts';
import type { Output } from '../output.ts';
import { type Input, isPrintable } from '../print.ts';
import { readFirstLine } from '../prompt.ts';
import type { CommandContext } from './command.ts';

/** What a command has besides the settings. */
interface Surroundings {
  /** The operator's name; undefined if none was given. */
  as: string | undefined;
  stdin: Input;
  /** Shows progress. */
  output: Output;
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
  { as, stdin, log: logOutput, output }: Surroundings,
): Promise<{ context: CommandContext; close(): Promise<void> }> {
  const database = await openBesideGateway(config.database, {
    mayCreate: false,
    prepare: requireSchema,
  });
  const log = createLog(config.logLevel, logOutput);
  const domain = openDomain(config, { stores: openStores(database), clock: systemClock, log });
  const closers = [() => database.close(), () => domain.flush()];
  const openDocuments = async () => {
    const documents = await openDocumentStore(config);
    closers.push(() => documents.close());
    return documents;
  };
  const { stores, accountData, auditEvents, audit, clock } = domain;
  const operator = operatorOf(as ?? config.sudoUser);
  const context: CommandContext = {
    ...openAdministration(domain),
    openReviews: async () => new Reviews({ ...domain, documents: await openDocuments() }),
    openErasureAdmin: async () => {
      const erasure = new Erasure({ ...domain, documents: await openDocuments() });
      const personalData = new PersonalDataExport(stores, accountData, clock);
      return new ErasureAdmin({ ...domain, erasure, personalData });
    },
    setUpUrl: setUpUrlOf(config),
    // Without BASE_URL the address of the gateway is not known here: the URLs are paths.
    clock,
    urls: new DocumentUrls(() => config.baseUrl ?? '', domain.urlSigner),
    searchAudit: (search) => auditEvents.search(search),
    operator,
    noteReading: (what, account) =>
      audit.write(
        { act: 'reading', cause: what, ...(account && { accountId: account.id, email: account.email }) },
        operator,
      ),
    passwordMinCharacters: config.passwordMinCharacters,
    passwordCheck: domain.passwordCheck,
    progress: (done, total) => output.isTerminal && output.progress('accounts', done, total),
    readLine: () => readFirstLine(stdin),
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

/** The page that sets up an account. Its token is in the fragment, which no browser sends and no log has. */
function setUpUrlOf(config: Config): CommandContext['setUpUrl'] {
  const base = localUrl(config) ?? '';
  return config.operatorApi ? (token) => `${base}/console#set-up=${token}` : undefined;
}

function operatorOf(name: string | undefined): Actor {
  const user = systemUser();
  const operator = name !== undefined && isPrintable(name) ? name : user;
  return { ...commandActor(operator), systemUser: user };
}

/** The user of the process according to the system, not to the environment. In a container a user may have no name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
