import { pipeline } from 'node:stream/promises';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { DOCUMENT_GROUPS, type DocumentStore, type ReadRequest } from '../../documents/document-store.ts';
import { contentDispositionOf, contentTypeOf } from '../../documents/document-types.ts';
import type { UrlSigner } from '../../documents/document-urls.ts';
import { fromUrlPath, hasRandomName, LEGACY_FOLDER } from '../../documents/stored-path.ts';
import { InvalidSignatureError } from '../../system/errors.ts';
import { onlyMethod } from './error-responses.ts';
import { refusal, SECONDS_OF_A_YEAR, sendFile } from './send-file.ts';

interface DocumentParts {
  documents: DocumentStore;
  /** If undefined, everyone who knows the URL of a document can read it. */
  urlSigner: UrlSigner | undefined;
}

/**
 * Serves stored documents at `/<group>/<name>`, and those of the legacy service in their folder. A document may be any file of a
 * stranger, so no browser may run it (nosniff, a sandboxed CSP). One with a random name never changes.
 */
export function storedDocuments({ documents, urlSigner }: DocumentParts): Router {
  const router = Router();
  router.use(loadableFromAnywhere);
  router.use(
    [...DOCUMENT_GROUPS, LEGACY_FOLDER].map((folder) => `/${folder}`),
    onlyMethod(READING_METHODS.join(', ')),
  );
  router.use(async (req, res, next) => {
    const storedPath = fromUrlPath(req.path.slice(1));
    // The methods of an encoded folder were not looked at.
    if (storedPath === undefined || !READING_METHODS.includes(req.method)) {
      return next();
    }
    const cacheControl = cacheControlOf(req, storedPath, urlSigner);
    const source = await documents.read(storedPath, readRequestOf(req));
    if (!source) {
      return next();
    }
    if (source.kind === 'redirect') {
      // Express's redirect would have a body, HTML for browsers, that repeats the URL.
      return void res.status(302).location(source.url).set('Cache-Control', 'private, no-store').end();
    }
    const headers = { ...safetyHeaders(storedPath), 'Cache-Control': cacheControl };
    if (source.kind === 'file') {
      // `send` knows types that browsers show, such as HTML. A legacy document may have such an extension.
      const typed = { ...headers, 'Content-Type': contentTypeOf(storedPath) };
      return sendFile(req, res, { root: source.root, path: storedPath, headers: typed });
    }
    await sendStream(req, res, { ...source, headers: { ...source.headers, ...headers } });
  });
  return router;
}

const READING_METHODS = ['GET', 'HEAD'];

/** Pages of other origins show documents, also in frames. The CSP of the documents limits what they can do there. */
const loadableFromAnywhere: RequestHandler = (_req, res, next) => {
  res.set('Cross-Origin-Resource-Policy', 'cross-origin').removeHeader('X-Frame-Options');
  next();
};

/** @throws InvalidSignatureError before any look-up, so that the answer does not show which documents exist */
function cacheControlOf({ query }: Request, storedPath: string, signer: UrlSigner | undefined): string {
  const isImmutable = hasRandomName(storedPath);
  if (!signer) {
    return isImmutable ? `public, max-age=${SECONDS_OF_A_YEAR}, immutable` : 'public, no-cache';
  }
  const { expires, signature } = query;
  const isSigned = typeof expires === 'string' && typeof signature === 'string';
  const secondsLeft = isSigned ? signer.secondsLeft(storedPath, { expires, signature }) : 0;
  if (secondsLeft === 0) {
    throw new InvalidSignatureError();
  }
  return isImmutable ? `private, max-age=${secondsLeft}, immutable` : 'private, no-cache';
}

const safetyHeaders = (storedPath: string): Record<string, string> => ({
  'Content-Disposition': contentDispositionOf(storedPath),
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
});

const readRequestOf = (req: Request): ReadRequest => ({
  range: req.get('Range'),
  ifMatch: req.get('If-Match'),
  ifNoneMatch: req.get('If-None-Match'),
  ifModifiedSince: req.get('If-Modified-Since'),
  ifUnmodifiedSince: req.get('If-Unmodified-Since'),
  ifRange: req.get('If-Range'),
  // The policy of the console permits no other server (`connect-src 'self'`).
  isStreamed: req.query.delivery === 'stream',
});

/** Sends a document that the store reads from another server. */
async function sendStream(
  req: Request,
  res: Response,
  { status, headers, body }: Extract<Awaited<ReturnType<DocumentStore['read']>>, { kind: 'stream' }>,
): Promise<void> {
  if (status >= 400) {
    throw refusal({ status, headers });
  }
  res.status(status).set(headers);
  if (!body || req.method === 'HEAD') {
    body?.destroy();
    res.end();
  } else {
    // It is no error if the reader closes the connection. If we cut it, the reader notices by the length.
    await pipeline(body, res).catch(() => res.destroy());
  }
}
