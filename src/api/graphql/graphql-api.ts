import { ApolloServer } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { type RequestHandler, Router } from 'express';
import type { GraphQLSchema } from 'graphql';
import type { ServiceAuthentication } from '../../auth/service-authentication.ts';
import type { Logger } from '../../system/log.ts';
import { errorHandler, onlyMethod } from '../http/error-responses.ts';
import type { InputValidator } from '../inputs/input-validator.ts';
import { apolloPath } from './apollo-path.ts';
import type { GraphqlContext } from './context.ts';
import { plainGet } from './csrf.ts';
import { fastPath, ParsedDocuments } from './fast-path.ts';
import { asSubgraph } from './federation.ts';
import { formatGraphqlError } from './graphql-errors.ts';
import { asPlugin, createHooks } from './hooks.ts';
import { refuseDocuments } from './limits/document-check.ts';
import { LIMITS } from './limits/limits.ts';
import { operationRules } from './limits/operation-rules.ts';
import { acceptable, sendGraphqlError, shortContentType } from './media-types.ts';
import { type MultipartParts, multipartRequest } from './multipart-request.ts';
import { createSchema, type SchemaParts } from './schema.ts';

interface GraphqlParts
  extends SchemaParts,
    Omit<MultipartParts, keyof SchemaParts>,
    Omit<ServerParts, 'schema' | 'multipart'> {
  /** Who may read the names of other accounts in a federation. */
  serviceAuthentication: ServiceAuthentication;
}

/** The router of a GraphQL API, and how to stop the server behind it. */
export interface GraphqlApi {
  router: RequestHandler;
  stop(): Promise<void>;
}

/** Opens the GraphQL API of doctors, patients and reviewers. */
export function openGraphqlApi(parts: GraphqlParts): Promise<GraphqlApi> {
  const schema = parts.federation ? asSubgraph(createSchema(parts), parts) : createSchema(parts);
  return openGraphqlServer({ ...parts, schema, multipart: multipartRequest(parts, schema) });
}

/** What every GraphQL API needs. */
interface ServerParts {
  schema: GraphQLSchema;
  /** True if clients may query the schema, and errors may name parts of it. */
  introspection: boolean;
  /** True if the API is a subgraph of Apollo Federation. */
  federation: boolean;
  validator: InputValidator;
  /** Receives files; undefined if no operation takes any. */
  multipart: RequestHandler | undefined;
  jsonBody: RequestHandler;
  log: Logger;
}

/** Starts Apollo Server with all limits and hooks, and wraps it in a router. */
export async function openGraphqlServer(parts: ServerParts): Promise<GraphqlApi> {
  const { schema } = parts;
  const documents = new ParsedDocuments();
  const hooks = createHooks(parts);
  const format = formatGraphqlError(parts.introspection);
  const server = new ApolloServer<GraphqlContext>({
    schema,
    introspection: parts.introspection,
    includeStacktraceInErrorResponses: false,
    persistedQueries: false,
    parseOptions: { maxTokens: LIMITS.tokens },
    maxRecursiveSelections: LIMITS.recursiveSelections,
    validationRules: operationRules,
    // Texts that suggest names of the schema are not shown while it is hidden, so nothing looks for them.
    validationOptions: { maxErrors: LIMITS.validationErrors, hideSuggestions: !parts.introspection },
    documentStore: documents,
    // Only main.ts handles signals.
    stopOnTerminationSignals: false,
    formatError: format,
    logger: parts.log,
    // Apollo's own landing page needs a CDN.
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      // Apollo adds it to a subgraph: every sender of a header would get the time that each resolver took.
      ApolloServerPluginInlineTraceDisabled(),
      // Nothing is cached, as the header of every answer says. The plugin would look at every field of a result.
      ApolloServerPluginCacheControlDisabled(),
      // Only src/config reads the environment. Apollo would read APOLLO_KEY and send the operations of callers to its makers.
      ApolloServerPluginUsageReportingDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      asPlugin(hooks),
    ],
  });
  await server.start();

  const router = Router();
  // Only the path itself: the paths below it are unknown paths.
  router.all(
    '/',
    onlyMethod('GET, POST'),
    shortContentType,
    ...(parts.multipart ? [parts.multipart] : []),
    parts.jsonBody,
    fastPath({ schema, documents, hooks, format }),
    emptyBody,
    refuseDocuments,
    acceptable,
    plainGet,
  );
  router.all('/', apolloPath(server));
  router.use(errorHandler(parts.log, sendGraphqlError));
  return { router, stop: () => server.stop() };
}

/** Express 5 leaves `body` undefined if a request has none. Apollo would report a missing parser. */
const emptyBody: RequestHandler = (req, _res, next) => {
  req.body ??= {};
  next();
};
