import { type ApolloServer, HeaderMap } from '@apollo/server';
import type { Request, RequestHandler } from 'express';
import { createContext, type GraphqlContext } from './context.ts';
import { PREFLIGHT_HEADERS } from './csrf.ts';
import { isLong, sendInParts } from './long-responses.ts';

/**
 * Answers a request by Apollo Server.
 * https://www.apollographql.com/docs/apollo-server/integrations/building-integrations
 */
export const apolloPath =
  (server: ApolloServer<GraphqlContext>): RequestHandler =>
  async (req, res) => {
    const { status, headers, body } = await server.executeHTTPGraphQLRequest({
      httpGraphQLRequest: {
        method: req.method,
        headers: headersOf(req),
        search: searchOf(req),
        body: req.body,
      },
      context: async () => createContext(req),
    });
    for (const [name, value] of headers) {
      res.setHeader(name, value);
    }
    res.status(status ?? 200);
    if (body.kind === 'complete') {
      return isLong(body.string) ? sendInParts(res, body.string) : void res.send(body.string);
    }
    // Parts of a result (@defer), which graphql-js 16 does not have.
    for await (const chunk of body.asyncIterator) {
      res.write(chunk);
    }
    res.end();
  };

/** The headers that Apollo Server reads: for its CSRF prevention, and to choose the media type of the response. */
const READ_HEADERS = ['accept', 'content-type', ...PREFLIGHT_HEADERS] as const;

function headersOf({ headers }: Request): HeaderMap {
  const read = new HeaderMap();
  for (const name of READ_HEADERS) {
    const value = headers[name];
    if (value !== undefined) {
      read.set(name, String(value));
    }
  }
  return read;
}

const SEARCH = /^[^?#]*(\?[^#]*)?/;

/** The query of a URL as it was sent, without the fragment. */
export const searchOf = ({ url }: Request): string => SEARCH.exec(url)?.[1] ?? '';
