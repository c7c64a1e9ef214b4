import type { RequestListener } from 'node:http';
import express from 'express';
import { openGraphqlApi } from '../api/graphql/graphql-api.ts';
import { createBodyMemory, createTextMemory } from '../api/http/bodies/body-memory.ts';
import { jsonBody } from '../api/http/bodies/buffered-body.ts';
import { formBody } from '../api/http/bodies/form-body.ts';
import { abandonAfterAnswer } from '../api/http/bodies/unread-body.ts';
import { UPLOAD_RETRY_AFTER_SECONDS } from '../api/http/bodies/uploads.ts';
import { crossOrigin, refuseCrossSiteForms, securityHeaders } from '../api/http/browsers.ts';
import { jsonErrorHandler, notFound } from '../api/http/error-responses.ts';
import type { Health } from '../api/http/health.ts';
import { healthRoutes } from '../api/http/health.ts';
import { requireHost } from '../api/http/malformed-requests.ts';
import { uploadLimits } from '../api/http/request-limits.ts';
import { beginRecord, type RequestObserver, through } from '../api/http/request-record.ts';
import { storedDocuments } from '../api/http/stored-documents.ts';
import { InputValidator } from '../api/inputs/input-validator.ts';
import { pagesRoutes } from '../api/pages/pages.routes.ts';
import type { GatewayFacts } from '../api/pages/start-page.ts';
import { authRoutes } from '../api/rest/auth.routes.ts';
import { userRoutes } from '../api/rest/user.routes.ts';
import { forwardAuthRoutes } from '../api/services/forward-auth.routes.ts';
import { introspectionRoutes } from '../api/services/introspection.routes.ts';
import type { Config } from '../config/config.ts';
import { DocumentUrls } from '../documents/document-urls.ts';
import { UrlSigner } from '../documents/url-signer.ts';
import type { Tracing } from '../monitoring/tracing/start-tracing.ts';
import type { Clock } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';
import { SharedCapacity } from '../system/networks/shared-capacity.ts';
import type { RunningWork } from '../system/running-work.ts';
import type { Service } from './open-service.ts';
import type { Storage } from './open-storage.ts';
import type { SecretHolder } from './secret-holder.ts';

/** The service behind the APIs, and what the APIs need beside it. */
interface ApiParts {
  config: Config;
  log: Logger;
  service: Service;
  storage: Storage;
  running: RunningWork;
  clock: Clock;
  health: Health;
  /** The beginning of the URLs of documents. */
  baseUrl(): string;
  tracing: Tracing | undefined;
  /** Called at the end of every request. */
  observers: RequestObserver[];
}

/** Everything that answers requests. */
export interface Apis extends SecretHolder {
  handler: RequestListener;
  stop(): Promise<void>;
}

/** Opens both APIs, and the routes for documents, health and pages. */
export async function openApis(given: ApiParts): Promise<Apis> {
  const { config, log, service, storage, running, clock, health, baseUrl } = given;
  const { auth, services, passwordCheck, verifications } = service;
  const { introspection, federation, documentSigning } = config;
  const { documents, quarantine } = storage;
  const signer = documentSigning && new UrlSigner(documentSigning, clock);
  const bodies = { memory: createBodyMemory(), timeoutMillis: config.deadlines.jsonBodyMillis };
  const parts = {
    ...service,
    validator: new InputValidator({ ...config, passwordCheck, clock }),
    urls: new DocumentUrls(baseUrl, signer),
    idFormat: config.idFormat,
    quarantine,
    running,
    uploadLimits: uploadLimits(config),
    uploadCapacity: new SharedCapacity({
      name: 'uploads',
      limits: config.uploadCapacity,
      retryAfterSeconds: UPLOAD_RETRY_AFTER_SECONDS,
    }),
    textMemory: createTextMemory(),
    jsonBody: jsonBody(bodies),
    formBody: formBody(bodies),
    formGuard: refuseCrossSiteForms(
      (origin) => config.corsOrigins.includes(origin) || origin === new URL(baseUrl()).origin,
    ),
    log,
  };
  const graphql = await openGraphqlApi({ ...parts, introspection, federation });

  const app = createExpress(given);
  // Before CORS: services and proxies ask, not pages.
  if (config.forwardAuth === 'main') {
    app.use(forwardAuthRoutes(parts));
  }
  if (services.isOn) {
    app.use(introspectionRoutes({ auth, services, verifications, baseUrl, bodies, log }));
  }
  app.use([...crossOrigin(config.corsOrigins), healthRoutes(health)]);
  app.use('/api/v1/auth', through('rest'), authRoutes(parts));
  app.use('/api/v1/user', through('rest'), userRoutes(parts));
  // Before the GraphQL API: a browser gets a page at the same address.
  if (config.pages) {
    app.use(pagesRoutes({ facts: () => gatewayFacts(given), health }));
  }
  app.use('/graphql', through('graphql'), graphql.router);
  app.use('/storage', through('storage'), storedDocuments({ store: documents, signer }));
  app.use(notFound, jsonErrorHandler(log));
  const takeSecrets = ({ documentSigning: next }: Config) => next && signer?.replaceSecrets(next);
  return { handler: app, takeSecrets, stop: graphql.stop };
}

/** What the start page may tell everybody. */
const gatewayFacts = ({ config, baseUrl }: ApiParts): GatewayFacts => ({
  database: config.database.kind,
  documentStore: config.s3 ? 's3' : 'local',
  signedDocuments: config.documentSigning !== undefined,
  mails: config.mail !== undefined,
  introspection: config.introspection,
  baseUrl: baseUrl(),
});

/** The app with the middleware that every request passes. */
function createExpress({ config, clock, tracing, observers }: ApiParts): express.Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing');
  app.set('trust proxy', config.trustProxy);
  app.use(beginRecord(clock, ...observers));
  if (tracing) {
    app.use(tracing.beginRequest);
  }
  app.use(securityHeaders(config.baseUrl), abandonAfterAnswer, requireHost);
  return app;
}
