import type { RequestListener } from 'node:http';
import express from 'express';
import { type GraphqlApi, openGraphqlApi } from '../api/graphql/graphql-api.ts';
import { crossOrigin, securityHeaders } from '../api/http/browsers.ts';
import { jsonErrorHandler, notFound } from '../api/http/error-responses.ts';
import { healthRoutes } from '../api/http/health.routes.ts';
import { requireHost } from '../api/http/malformed-requests.ts';
import { beginRecord, through } from '../api/http/request-record.ts';
import { storedDocuments } from '../api/http/stored-documents.ts';
import { type PageBrand, pageBrand } from '../api/pages/brand.ts';
import { consoleRoutes } from '../api/pages/console.routes.ts';
import { hasManual } from '../api/pages/manual.routes.ts';
import { pagesRoutes } from '../api/pages/pages.routes.ts';
import { peopleRoutes } from '../api/pages/people.routes.ts';
import type { PeopleSettings } from '../api/pages/people-page-settings.ts';
import type { GatewayFacts } from '../api/pages/start-page.ts';
import { authRoutes, userRoutes } from '../api/rest/auth.routes.ts';
import { PREFIX } from '../api/rest/endpoints.ts';
import { eventRoutes } from '../api/services/event.routes.ts';
import { forwardAuthRoutes } from '../api/services/forward-auth.routes.ts';
import { introspectionRoutes, metadataRoutes } from '../api/services/introspection.routes.ts';
import type { Config } from '../config/config.ts';
import { type ApiBasis, type ApiParts, openApiParts } from './api-parts.ts';

/** Everything that answers requests. */
interface Apis {
  handler: RequestListener;
  stop(): Promise<void>;
}

/** Opens both APIs, and the routes for documents, health and pages. */
export async function openApis(config: Config, basis: ApiBasis): Promise<Apis> {
  const parts = openApiParts(config, basis);
  const { serviceAuthentication, eventFeed, baseUrl, health, log } = parts;
  const graphql = await openGraphqlApi(parts);
  const app = createExpress(config, parts);
  // Before CORS: services and proxies ask, not pages.
  if (config.forwardAuth === 'main') {
    app.use(forwardAuthRoutes(parts));
  }
  if (serviceAuthentication.isOn) {
    app.use(introspectionRoutes(parts), metadataRoutes(baseUrl));
  }
  if (eventFeed) {
    app.use(eventRoutes({ ...parts, eventFeed }));
  }
  // Before CORS, too: the console is of the same origin, and no other page may act as an operator.
  const brand = pageBrand(config.brand);
  const operators = config.operatorApi ? await openOperatorsOf(parts) : undefined;
  if (operators) {
    app.use('/operators/graphql', through('operators'), operators.router);
    app.use(consoleRoutes(config.erasureGraceMillis, brand));
  }
  if (config.people) {
    const { people } = config;
    app.use(peopleRoutes(() => peopleSettings(config, people, baseUrl(), brand), brand));
  }
  app.use([brand.files, ...crossOrigin(config.corsOrigins), healthRoutes(health)]);
  app.use(PREFIX, through('rest'), authRoutes(parts));
  app.use('/api/v1/user', through('rest'), userRoutes(parts));
  // Before the GraphQL API: a browser gets a page at the same address.
  if (config.pages) {
    app.use(pagesRoutes({ facts: () => gatewayFacts(config, baseUrl()), health, brand }));
  }
  app.use('/graphql', through('graphql'), graphql.router);
  app.use('/storage', through('storage'), storedDocuments(parts));
  app.use(notFound, jsonErrorHandler(log));
  const stop = async () => {
    await Promise.all([graphql.stop(), operators?.stop()]);
  };
  return { handler: app, stop };
}

/** A gateway without operators in a browser loads none of their code. */
async function openOperatorsOf(parts: ApiParts): Promise<GraphqlApi> {
  const { openOperators } = await import('./operators.ts');
  return openOperators(parts);
}

/** What the start page may show to everybody. */
const gatewayFacts = (config: Config, baseUrl: string): GatewayFacts => ({
  database: config.database.kind,
  documentStore: config.s3 ? 's3' : 'local',
  signedDocuments: config.documentSigning !== undefined,
  mails: config.mail !== undefined,
  introspection: config.introspection,
  hasPeople: config.people !== undefined,
  hasManual: hasManual(),
  baseUrl,
});

/** What the pages for people may show to everybody. */
const peopleSettings = (
  config: Config,
  { origin, returnUrl }: NonNullable<Config['people']>,
  baseUrl: string,
  { contact, contactUrl, imprint, privacy, picture }: PageBrand,
): PeopleSettings => ({
  ...{ contact, contactUrl, imprint, privacy, picture },
  name: config.brand?.name ?? config.twoFactor.issuer,
  passwordMinCharacters: config.passwordMinCharacters,
  maxFileBytes: config.maxFileBytes,
  mails: config.mail !== undefined,
  registration: config.registrationModes,
  passkeys: config.passkeys?.origins.includes(origin) ?? false,
  ...(config.operatorApi && { staffUrl: `${baseUrl}/console` }),
  ...(returnUrl !== undefined && { returnUrl }),
});

/** The app with the middleware that every request passes. */
function createExpress(config: Config, { clock, beginTrace, requestObservers }: ApiParts): express.Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing');
  app.set('trust proxy', config.trustProxy);
  app.use(beginRecord(clock, ...requestObservers));
  if (beginTrace) {
    app.use(beginTrace);
  }
  app.use(securityHeaders(config.baseUrl), requireHost);
  return app;
}
