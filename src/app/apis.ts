import type { RequestListener } from 'node:http';
import express, { type RequestHandler } from 'express';
import { type GraphqlApi, openGraphqlApi } from '../api/graphql/graphql-api.ts';
import { createBodyMemory, createTextMemory } from '../api/http/bodies/body-memory.ts';
import { jsonBody } from '../api/http/bodies/buffered-body.ts';
import { formBody } from '../api/http/bodies/form-body.ts';
import { UPLOAD_RETRY_AFTER_SECONDS } from '../api/http/bodies/uploads.ts';
import { crossOrigin, refuseCrossSiteForms, securityHeaders } from '../api/http/browsers.ts';
import { jsonErrorHandler, notFound } from '../api/http/error-responses.ts';
import { healthRoutes } from '../api/http/health.routes.ts';
import type { Health } from '../api/http/health.ts';
import { requireHost } from '../api/http/malformed-requests.ts';
import { uploadLimits } from '../api/http/request-limits.ts';
import { beginRecord, type RequestObserver, through } from '../api/http/request-record.ts';
import { storedDocuments } from '../api/http/stored-documents.ts';
import { InputValidator } from '../api/inputs/input-validator.ts';
import { consoleRoutes } from '../api/pages/console.routes.ts';
import { hasManual } from '../api/pages/manual.routes.ts';
import { pagesRoutes } from '../api/pages/pages.routes.ts';
import type { GatewayFacts } from '../api/pages/start-page.ts';
import { authRoutes } from '../api/rest/auth.routes.ts';
import { userRoutes } from '../api/rest/user.routes.ts';
import { eventRoutes } from '../api/services/event.routes.ts';
import { forwardAuthRoutes } from '../api/services/forward-auth.routes.ts';
import { introspectionRoutes } from '../api/services/introspection.routes.ts';
import { metadataRoutes } from '../api/services/metadata.routes.ts';
import type { Overview } from '../auth/overview.ts';
import type { Config } from '../config/config.ts';
import type { Backups } from '../database/backups.ts';
import { DocumentUrls } from '../documents/document-urls.ts';
import type { RunningWork } from '../system/running-work.ts';
import { SharedCapacity } from '../system/shared-capacity.ts';
import type { Domain } from './domain.ts';
import type { Events } from './events.ts';
import type { ServiceLayer } from './service-layer.ts';
import type { Storage } from './storage.ts';

interface ApiParts {
  config: Config;
  domain: Domain;
  services: ServiceLayer;
  /** undefined if no service hears of events. */
  events: Events | undefined;
  storage: Pick<Storage, 'documents' | 'quarantine'>;
  health: Health;
  running: RunningWork;
  overview: Overview;
  backups: Backups | undefined;
  /** The beginning of the URLs of documents. */
  baseUrl(): string;
  /** Begins the span of each request; undefined without traces. */
  beginTrace: RequestHandler | undefined;
  /** Called at the end of every request. */
  requestObservers: RequestObserver[];
}

/** Everything that answers requests. */
interface Apis {
  handler: RequestListener;
  stop(): Promise<void>;
}

/** Opens both APIs, and the routes for documents, health and pages. */
export async function openApis(parts: ApiParts): Promise<Apis> {
  const { config, domain, services, storage, health, running, baseUrl } = parts;
  const { sessions, verifications, serviceAuthentication, forwardAuthentication } = services;
  const { passwordCheck, urlSigner, clock, log } = domain;
  const { corsOrigins, idFormat } = config;
  const bodies = { memory: createBodyMemory(), timeoutMillis: config.deadlines.jsonBodyMillis };
  const json = jsonBody(bodies);
  const form = formBody(bodies);
  const formGuard = refuseCrossSiteForms(
    (origin) => corsOrigins.includes(origin) || origin === new URL(baseUrl()).origin,
  );
  const urls = new DocumentUrls(baseUrl, urlSigner);
  const validator = new InputValidator({
    passwordMinCharacters: config.passwordMinCharacters,
    passwordCheck,
    documentCheck: config.documentCheck,
    maxFileBytes: config.maxFileBytes,
    clock,
  });
  const limits = uploadLimits(config);
  const uploadCapacity = new SharedCapacity({
    name: 'uploads',
    limits: config.uploadCapacity,
    retryAfterSeconds: UPLOAD_RETRY_AFTER_SECONDS,
  });
  const textMemory = createTextMemory();
  const graphql = await openGraphqlApi({
    ...services,
    urls,
    validator,
    jsonBody: json,
    quarantine: storage.quarantine,
    uploadLimits: limits,
    uploadCapacity,
    textMemory,
    running,
    introspection: config.introspection,
    federation: config.federation,
    log,
  });

  const app = createExpress(parts);
  // Before CORS: services and proxies ask, not pages.
  if (config.forwardAuth === 'main') {
    app.use(forwardAuthRoutes({ forwardAuthentication, log }));
  }
  if (serviceAuthentication.isOn) {
    app.use(
      introspectionRoutes({
        sessions,
        serviceAuthentication,
        verifications,
        baseUrl,
        bodies,
        log,
      }),
      metadataRoutes(baseUrl),
    );
  }
  const { feed, eventAccounts } = parts.events ?? {};
  if (feed && eventAccounts) {
    const { eventClients } = config;
    app.use(
      eventRoutes({
        feed,
        eventAccounts,
        serviceAuthentication,
        eventClients,
        jsonBody: json,
        log,
      }),
    );
  }
  // Before CORS, too: the console is of the same origin, and no other page may act as an operator.
  const operators = await openOperatorsIfOn(parts, { validator, jsonBody: json });
  if (operators) {
    app.use('/operators/graphql', through('operators'), operators.router);
    app.use(consoleRoutes(config.erasureGraceMillis));
  }
  app.use([...crossOrigin(corsOrigins), healthRoutes(health)]);
  app.use(
    '/api/v1/auth',
    through('rest'),
    authRoutes({
      ...services,
      validator,
      jsonBody: json,
      formBody: form,
      formGuard,
      urls,
      idFormat,
      quarantine: storage.quarantine,
      uploadLimits: limits,
      uploadCapacity,
      textMemory,
      running,
      log,
    }),
  );
  app.use('/api/v1/user', through('rest'), userRoutes({ sessions, idFormat, log }));
  // Before the GraphQL API: a browser gets a page at the same address.
  if (config.pages) {
    app.use(pagesRoutes({ facts: () => gatewayFacts(config, baseUrl()), health }));
  }
  app.use('/graphql', through('graphql'), graphql.router);
  app.use('/storage', through('storage'), storedDocuments({ documents: storage.documents, urlSigner }));
  app.use(notFound, jsonErrorHandler(log));
  const stop = async () => {
    await Promise.all([graphql.stop(), operators?.stop()]);
  };
  return { handler: app, stop };
}

/** A gateway without operators in a browser loads none of their code. */
async function openOperatorsIfOn(
  parts: ApiParts,
  shared: { validator: InputValidator; jsonBody: RequestHandler },
): Promise<GraphqlApi | undefined> {
  if (!parts.config.operatorApi) {
    return undefined;
  }
  const { openOperators } = await import('./operators.ts');
  return openOperators({ ...parts, ...shared, documents: parts.storage.documents });
}

/** What the start page may show to everybody. */
const gatewayFacts = (config: Config, baseUrl: string): GatewayFacts => ({
  database: config.database.kind,
  documentStore: config.s3 ? 's3' : 'local',
  signedDocuments: config.documentSigning !== undefined,
  mails: config.mail !== undefined,
  introspection: config.introspection,
  hasManual: hasManual(),
  baseUrl,
});

/** The app with the middleware that every request passes. */
function createExpress({ config, domain, beginTrace, requestObservers }: ApiParts): express.Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing');
  app.set('trust proxy', config.trustProxy);
  app.use(beginRecord(domain.clock, ...requestObservers));
  if (beginTrace) {
    app.use(beginTrace);
  }
  app.use(securityHeaders(config.baseUrl), requireHost);
  return app;
}
