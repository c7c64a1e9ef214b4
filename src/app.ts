import type { RequestListener } from 'node:http';
import express from 'express';
import { AccessTokens } from './auth/access-tokens.ts';
import { Accounts } from './auth/accounts.ts';
import { countInDatabase, countInMemory } from './auth/attempt-counters.ts';
import { AuditTrail } from './auth/audit-trail.ts';
import { AuthService } from './auth/auth-service.ts';
import { LoginThrottle } from './auth/login-throttle.ts';
import { PasswordHasher } from './auth/password-hasher.ts';
import { Registration } from './auth/registration.ts';
import type { Config } from './config.ts';
import { DocumentUrls } from './documents/document-urls.ts';
import { UrlSigner } from './documents/url-signer.ts';
import { openGraphqlDoor } from './graphql/graphql-door.ts';
import { crossOrigin } from './http/cross-origin.ts';
import { checkHealth } from './http/health.ts';
import { jsonBody } from './http/json-body.ts';
import { jsonErrorHandler, notFound } from './http/json-errors.ts';
import { requireHost } from './http/malformed-request.ts';
import { abandonAfterAnswer } from './http/multipart-body.ts';
import { logRequests } from './http/request-log.ts';
import { beginRecord, through } from './http/request-record.ts';
import { securityHeaders } from './http/security-headers.ts';
import { listen, stopListening } from './http/server.ts';
import { storedDocuments } from './http/stored-documents.ts';
import { uploadLimits } from './http/uploads.ts';
import { InputValidator } from './inputs/input-validator.ts';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics/start-metrics.ts';
import { openStorage, type Storage } from './open-storage.ts';
import { pagesRoutes } from './pages/pages.routes.ts';
import { authRoutes } from './rest/auth.routes.ts';
import { scheduleSweep } from './sweep/sweep-schedule.ts';

export interface Addresses {
  address: string;
  baseUrl: string;
  /** Where operators scrape metrics, if they do. */
  metrics: string | undefined;
}

/** A gateway that can be started once and stopped once. */
export interface App {
  /**
   * Opens the database, then the port.
   * @returns where it listens, and what callers are told to use (BASE_URL, if that is set); no slash at either's end
   * @throws when either cannot be opened; what was opened before is closed again
   */
  start(): Promise<Addresses>;
  /** Stops accepting, lets running requests finish within the grace, and closes everything. */
  stop(): Promise<void>;
}

/** The composition root: everything is constructed here, and nowhere else. */
export function createApp(config: Config, log: Logger): App {
  /** How to close what is open, in the order of opening. */
  const closers: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (let close = closers.pop(); close; close = closers.pop()) await close();
  };

  const open = async (): Promise<Addresses> => {
    const metrics = await openMetrics(config, log);
    if (metrics) closers.push(metrics.stop);
    const storage = await openStorage(config);
    closers.push(storage.close);
    metrics?.watchDatabase(storage.connection);
    const { auditEvents } = storage.models;
    const audit = new AuditTrail(auditEvents, config.auditRetentionMillis, log, metrics?.observeAudit);
    metrics?.watchAuditTrail(audit);
    closers.push(() => audit.close());
    const auth = createAuthService(config, log, storage, { audit, metrics });
    // Known once the port is open; nobody asks for it before.
    let address = '';
    const doors = await openDoors(config, log, { auth, storage, baseUrl: () => config.baseUrl ?? address });
    closers.push(doors.stop);
    const { server, url } = await listen(createHandler(config, log, doors, metrics), config);
    closers.push(() => stopListening(server, config.stopGraceMillis));
    address = url;
    closers.push(scheduleSweep(storage.sweep, log).stop);
    return { address, baseUrl: config.baseUrl ?? address, metrics: metrics?.url };
  };

  const start = () =>
    open().catch(async (error: unknown) => {
      await stop();
      throw error;
    });
  return { start, stop };
}

async function openMetrics(config: Config, log: Logger): Promise<Metrics | undefined> {
  if (config.metricsPort === undefined) return undefined;
  // Loaded only here: whoever scrapes nothing does not pay for it.
  const { startMetrics } = await import('./metrics/start-metrics.ts');
  return startMetrics(config, config.metricsPort, log);
}

/** All that answers requests, each to be mounted where it is to be found. */
interface Doors {
  rest: express.Router;
  graphql: express.Router;
  documents: express.Router;
  pages: express.Router | undefined;
  stop(): Promise<void>;
}

interface Behind {
  auth: AuthService;
  storage: Storage;
  /** What the URLs of documents begin with. */
  baseUrl: () => string;
}

async function openDoors(config: Config, log: Logger, { auth, storage, baseUrl }: Behind): Promise<Doors> {
  const { introspection, documentSigning } = config;
  const { documents, quarantine, probes } = storage;
  const signer = documentSigning && new UrlSigner(documentSigning.secret, documentSigning.lifetimeSeconds);
  const parts = {
    auth,
    validator: new InputValidator(config),
    urls: new DocumentUrls(baseUrl, signer),
    quarantine,
    uploadLimits: uploadLimits(config),
    jsonBody: jsonBody(config.deadlines.jsonBodyMillis),
    log,
  };
  const graphql = await openGraphqlDoor({ ...parts, introspection });
  const health = () => checkHealth(probes);
  return {
    rest: authRoutes(parts),
    graphql: graphql.router,
    documents: storedDocuments({ store: documents, signer }),
    pages: config.pages ? pagesRoutes({ introspection, health }) : undefined,
    stop: graphql.stop,
  };
}

function createAuthService(
  config: Config,
  log: Logger,
  { models, documents, connection }: Storage,
  { audit, metrics }: { audit: AuditTrail; metrics: Metrics | undefined },
): AuthService {
  const { profiles } = models;
  const accounts = new Accounts(models.accounts);
  const tokens = new AccessTokens(models.tokens, config.tokenPrefix);
  const hasher = new PasswordHasher(config.bcryptCost, config.hashConcurrency, metrics?.observeHashWait);
  metrics?.watchHashQueue(hasher);
  const registration = new Registration({ accounts, profiles, tokens, hasher, documents, log });
  const createCounter = config.database.kind === 'mongodb' ? countInDatabase(connection) : countInMemory;
  const throttle = new LoginThrottle(config.rateLimit, createCounter);
  return new AuthService({ accounts, profiles, tokens, hasher, throttle, registration, audit, log });
}

function createHandler(config: Config, log: Logger, doors: Doors, metrics?: Metrics): RequestListener {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing');
  app.set('trust proxy', config.trustProxy);
  app.use(
    beginRecord(logRequests(log), ...(metrics ? [metrics.observeRequest] : [])),
    securityHeaders(config.baseUrl),
    abandonAfterAnswer,
    requireHost,
    crossOrigin(config.corsOrigins),
  );
  app.use('/api/v1/auth', through('rest'), doors.rest);
  // Before the GraphQL API, whose address in a browser is a page.
  if (doors.pages) app.use(doors.pages);
  app.use('/graphql', through('graphql'), doors.graphql);
  app.use('/storage', through('storage'), doors.documents);
  app.use(notFound, jsonErrorHandler(log));
  return app;
}
