import type { RequestListener } from 'node:http';
import express, { type RequestHandler } from 'express';
import { AccessTokens } from './auth/access-tokens.ts';
import { Accounts } from './auth/accounts.ts';
import { countInDatabase, countInMemory } from './auth/attempt-counters.ts';
import { AuditTrail } from './auth/audit-trail.ts';
import { AuthService } from './auth/auth-service.ts';
import { LoginThrottle } from './auth/login-throttle.ts';
import { PasswordHasher } from './auth/password-hasher.ts';
import { Registration } from './auth/registration.ts';
import { TokenUses } from './auth/token-uses.ts';
import type { Config } from './config.ts';
import { withPatience } from './database/patience.ts';
import { DocumentUrls } from './documents/document-urls.ts';
import { UrlSigner } from './documents/url-signer.ts';
import { openGraphqlDoor } from './graphql/graphql-door.ts';
import { crossOrigin } from './http/cross-origin.ts';
import { healthRoutes } from './http/health.routes.ts';
import { Health } from './http/health.ts';
import { jsonBody } from './http/json-body.ts';
import { jsonErrorHandler, notFound } from './http/json-errors.ts';
import { requireHost } from './http/malformed-request.ts';
import { abandonAfterAnswer } from './http/multipart-body.ts';
import { beginRecord, through } from './http/request-record.ts';
import { securityHeaders } from './http/security-headers.ts';
import { listen } from './http/server.ts';
import { storedDocuments } from './http/stored-documents.ts';
import { uploadLimits } from './http/uploads.ts';
import { InputValidator } from './inputs/input-validator.ts';
import type { Logger } from './log.ts';
import { openStorage, type Storage } from './open-storage.ts';
import { pagesRoutes } from './pages/pages.routes.ts';
import { authRoutes } from './rest/auth.routes.ts';
import { RunningWork } from './running-work.ts';
import { scheduleSweep } from './sweep/sweep-schedule.ts';

export interface Addresses {
  address: string;
  baseUrl: string;
}

/** A gateway that can be started once and stopped once. */
export interface App {
  /**
   * Opens the database, then the port.
   * @returns where it listens, and what callers are told to use (BASE_URL, if that is set); no slash at either's end
   * @throws when either cannot be opened, or it is stopped meanwhile; what was opened before is closed again
   */
  start(): Promise<Addresses>;
  /**
   * Is no longer ready, stops accepting, lets running requests finish within the grace, and closes everything. Ends a
   * start that is waiting.
   */
  stop(): Promise<void>;
}

/** The composition root: everything is constructed here, and nowhere else. */
export function createApp(config: Config, log: Logger): App {
  /** How to close what is open, in the order of opening. */
  const closers: (() => Promise<unknown>)[] = [];
  const stopping = new AbortController();
  const running = new RunningWork();

  const open = async (): Promise<Addresses> => {
    const wait = { forMillis: config.startWaitMillis, signal: stopping.signal, log };
    const storage = await openStorage(config, wait);
    const audit = new AuditTrail(storage.models.auditEvents, config.auditRetentionMillis, log);
    const uses = new TokenUses(storage.models.tokens, config.tokenLifetimes, log);
    closers.push(
      storage.close,
      () => audit.close(),
      () => uses.close(),
      () => running.ended(AFTERMATH_MILLIS),
    );
    // Known once the port is open; nobody asks for it before.
    let address = '';
    const baseUrl = () => config.baseUrl ?? address;
    const parts = { config, log, storage, audit, uses, running, baseUrl, stopping: stopping.signal };
    const doors = await openDoors(parts);
    closers.push(doors.stop);
    stopping.signal.throwIfAborted();
    const listener = await listen(createHandler(config, log, doors), config);
    address = listener.url;
    const sweeps = scheduleSweep(storage.sweep, log);
    // Both at once: nothing is accepted any more while a sweep comes to its end.
    closers.push(() => Promise.all([listener.stop(config.stopGraceMillis), sweeps.stop()]));
    return { address, baseUrl: config.baseUrl ?? address };
  };

  let started: Promise<unknown> = Promise.resolve();
  const start = () => {
    const addresses = open().catch(async (error: unknown) => {
      await closeAll(closers);
      throw error;
    });
    started = addresses;
    return addresses;
  };
  const stop = async () => {
    stopping.abort(new Error('stopped'));
    // A start that is ended by this closes what it has opened.
    await started.catch(() => {});
    await closeAll(closers);
  };
  return { start, stop };
}

/** Once connections are cut, what they leave behind is soon undone, unless the database is away: then it is for the sweep. */
const AFTERMATH_MILLIS = 2_000;

/**
 * Closes what was opened, the last first, each of them however the others went.
 * @throws what the first of them threw that failed
 */
async function closeAll(closers: (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (let close = closers.pop(); close; close = closers.pop()) {
    await close().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

/** All that answers requests, each to be mounted where it is to be found. */
interface Doors {
  rest: express.Router;
  graphql: express.Router;
  documents: express.Router;
  health: express.Router;
  pages: express.Router | undefined;
  stop(): Promise<void>;
}

interface DoorParts {
  config: Config;
  log: Logger;
  storage: Storage;
  audit: AuditTrail;
  uses: TokenUses;
  running: RunningWork;
  /** What the URLs of documents begin with. */
  baseUrl(): string;
  stopping: AbortSignal;
}

async function openDoors(given: DoorParts): Promise<Doors> {
  const { config, log, storage, running, baseUrl, stopping } = given;
  const { introspection, documentSigning } = config;
  const { documents, quarantine } = storage;
  const hasher = new PasswordHasher(config.bcryptCost, config.hashConcurrency);
  const signer = documentSigning && new UrlSigner(documentSigning.secret, documentSigning.lifetimeSeconds);
  const parts = {
    auth: createAuthService({ ...given, hasher }),
    validator: new InputValidator(config),
    urls: new DocumentUrls(baseUrl, signer),
    quarantine,
    running,
    uploadLimits: uploadLimits(config),
    jsonBody: jsonBody(config.deadlines.jsonBodyMillis),
    log,
  };
  const graphql = await openGraphqlDoor({ ...parts, introspection });
  const hashQueue = async () => hasher.isFull && Promise.reject(new Error('the hash queue is full'));
  const health = new Health({ ...storage.probes, hashQueue }, stopping, log);
  return {
    rest: authRoutes(parts),
    graphql: graphql.router,
    documents: storedDocuments({ store: documents, signer }),
    health: healthRoutes(health),
    pages: config.pages ? pagesRoutes({ introspection, health }) : undefined,
    stop: graphql.stop,
  };
}

interface ServiceParts extends Pick<DoorParts, 'config' | 'log' | 'storage' | 'audit' | 'uses' | 'running'> {
  hasher: PasswordHasher;
}

function createAuthService({
  config,
  log,
  storage,
  audit,
  uses,
  running,
  hasher,
}: ServiceParts): AuthService {
  const { models, documents, connection } = storage;
  const { profiles } = models;
  const accounts = new Accounts(models.accounts);
  const tokens = new AccessTokens(models.tokens, uses, config.tokenLifetimes, config.tokenPrefix);
  const registration = new Registration({ accounts, profiles, tokens, hasher, documents, log });
  const createCounter = config.database.kind === 'mongodb' ? countInDatabase(connection) : countInMemory;
  const throttle = new LoginThrottle(config.rateLimit, createCounter);
  return new AuthService({ accounts, profiles, tokens, hasher, throttle, registration, audit, running, log });
}

const boundDatabaseWaits: RequestHandler = (_req, _res, next) => withPatience(next);

function createHandler(config: Config, log: Logger, doors: Doors): RequestListener {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing');
  app.set('trust proxy', config.trustProxy);
  app.use(
    beginRecord(),
    securityHeaders(config.baseUrl),
    abandonAfterAnswer,
    requireHost,
    crossOrigin(config.corsOrigins),
    boundDatabaseWaits,
  );
  app.use(doors.health);
  app.use('/api/v1/auth', through('rest'), doors.rest);
  // Before the GraphQL API, whose address in a browser is a page.
  if (doors.pages) app.use(doors.pages);
  app.use('/graphql', through('graphql'), doors.graphql);
  app.use('/storage', through('storage'), doors.documents);
  app.use(notFound, jsonErrorHandler(log));
  return app;
}
