import { type DocumentStore, HeaderMap, type HTTPGraphQLHead } from '@apollo/server';
import type { Request, RequestHandler, Response } from 'express';
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  getOperationAST,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { createContext, type ResolvedRequest } from './context.ts';
import type { FormatError } from './graphql-errors.ts';
import type { Hooks } from './hooks.ts';
import { isLong, sendInParts } from './long-responses.ts';
import { usualResponseType } from './media-types.ts';

interface FastPathParts {
  schema: GraphQLSchema;
  documents: ParsedDocuments;
  hooks: Hooks;
  format: FormatError;
}

/**
 * Answers what clients send most: a POST of JSON whose document is known to be valid. Apollo Server would find nothing to do
 * but its execution, and take longer for that than the execution takes. The responses are the same, byte for byte.
 *
 * All other requests are passed on to Apollo Server, as long as nothing has been executed: also those whose variables or
 * operation name do not fit, so that there is only one place that words such errors.
 */
export const fastPath =
  (parts: FastPathParts): RequestHandler =>
  async (req, res, next) => {
    const isUsual = req.method === 'POST' && USUAL_CONTENT_TYPE.test(req.headers['content-type'] ?? '');
    const type = isUsual ? usualResponseType(req) : undefined;
    const context = type && resolve(req, parts);
    if (!type || !context || parts.hooks.check(context)) {
      return next();
    }
    const { schema, document, contextValue, request } = context;
    const { variables: variableValues, operationName } = request;
    const call = { schema, document, contextValue, variableValues, operationName };
    // The text about a variable is Apollo Server's, so graphql-js need not look for similar names.
    const result = await execute({ ...call, hideSuggestions: true });
    // A variable does not fit its type, so no resolver has been called.
    if (!('data' in result)) {
      return next();
    }
    await send(res, type, responseOf(result, context, parts));
  };

/** Apollo's CSRF prevention lets it pass, because browsers send it to another site only after a preflight. */
const USUAL_CONTENT_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i;

/** @returns undefined if the request is not a usual one, or its operation is not known to be valid */
function resolve(req: Request, { schema, documents }: FastPathParts): ResolvedRequest | undefined {
  const { query, operationName, variables, extensions } = (req.body ?? {}) as Record<string, unknown>;
  const isUsual = isTextOrMissing(operationName) && isObjectOrMissing(variables) && extensions === undefined;
  const document = isUsual && typeof query === 'string' ? documents.findValid(query) : undefined;
  const operation = document && getOperationAST(document, operationName as string | null | undefined);
  if (!document || !operation) {
    return undefined;
  }
  const contextValue = createContext(req);
  const request = { query, operationName, variables } as ResolvedRequest['request'];
  return { request, contextValue, schema, document, operation, operationName: operation.name?.value ?? null };
}

const isTextOrMissing = (value: unknown): boolean =>
  value === undefined || value === null || typeof value === 'string';

const isObjectOrMissing = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && !Array.isArray(value));

interface HttpResponse {
  status: number;
  headers: Iterable<[string, string]>;
  result: object;
}

function responseOf(
  { data = null, errors }: ExecutionResult,
  context: ResolvedRequest,
  parts: FastPathParts,
): HttpResponse {
  if (!errors) {
    return { status: 200, headers: [], result: { data } };
  }
  const { contextValue } = context;
  parts.hooks.log(errors, contextValue);
  const formatted = errors.map((error) => parts.format(error.toJSON(), error));
  const http: HTTPGraphQLHead = { headers: new HeaderMap() };
  const body = { kind: 'single', singleResult: { data } } as const;
  parts.hooks.setStatus({ contextValue, errors, response: { http, body } });
  return { status: http.status ?? 200, headers: http.headers, result: { errors: formatted, data } };
}

/** Sends the result as Apollo Server writes it: with a line break. */
async function send(res: Response, type: string, { status, headers, result }: HttpResponse): Promise<void> {
  const text = `${JSON.stringify(result)}\n`;
  res.statusCode = status;
  for (const [name, value] of headers) {
    res.setHeader(name, value);
  }
  res.setHeader('Content-Type', type);
  if (isLong(text)) {
    return sendInParts(res, text);
  }
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}

/** Clients have a handful of operations each. With the limit on tokens, one document takes 400 KB at the very most. */
const MAX_DOCUMENTS = 100;
/** Operations of clients have a few hundred characters. A longer document is parsed each time. */
const MAX_SOURCE_CHARACTERS = 20_000;

const sourceOf = ({ loc }: DocumentNode): string => loc?.source.body ?? '';

/**
 * The documents that were parsed and found valid, so that each operation of a client is parsed only once. Apollo Server keeps
 * and finds them by its hash. Validity depends only on the schema and the rules, which are the same for all requests.
 *
 * Apollo's own cache measures a document by its JSON, which does not contain the source text. `{ __typename }` with a comment
 * of 100 KB would count as a few bytes. A flood of such documents, each with another comment, would fill gigabytes before
 * the cache was full (measured: 460 MB after 5,000 of them).
 */
export class ParsedDocuments implements DocumentStore {
  readonly #documents = new LRUCache<string, DocumentNode>({
    max: MAX_DOCUMENTS,
    dispose: (document) => this.#keys.delete(sourceOf(document)),
  });
  /** The key of each document, by its source text. */
  readonly #keys = new Map<string, string>();

  /**
   * A valid document by its text, which takes less time than its hash.
   * @returns undefined if it is not known, which says nothing about it
   */
  findValid(source: string): DocumentNode | undefined {
    const key = this.#keys.get(source);
    return key === undefined ? undefined : this.#documents.get(key);
  }

  async get(key: string): Promise<DocumentNode | undefined> {
    return this.#documents.get(key);
  }

  async set(key: string, document: DocumentNode): Promise<void> {
    const source = sourceOf(document);
    if (source.length <= MAX_SOURCE_CHARACTERS) {
      // First, because it disposes of an earlier document with this key.
      this.#documents.set(key, document);
      this.#keys.set(source, key);
    }
  }

  async delete(key: string): Promise<boolean> {
    return this.#documents.delete(key);
  }
}
