import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { html } from '../../system/output-encoding.ts';
import { PACKAGE_ROOT } from '../../system/own-package.ts';
import { onlyMethod } from '../http/error-responses.ts';
import type { Health } from '../http/health.ts';
import { SECONDS_OF_A_YEAR, sendFile } from '../http/send-file.ts';
import type { PageBrand } from './brand.ts';
import { manualRoutes } from './manual.routes.ts';
import type { ExampleOperation } from './operations.ts';
import { findAsset, readManifest, shell } from './shell.ts';
import { type GatewayFacts, startPage } from './start-page.ts';

interface PagesParts {
  /** Asked for each page, because the address may be known only after the port is open. */
  facts(): GatewayFacts;
  health: Health;
  brand: PageBrand;
}

/** No other host, nothing inline, and no frame around the page (CSP Level 3; OWASP ASVS 3.4.3 and 3.4.6). */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The pages for people: `/`, `/graphql` in a browser, `/docs`, and the files that they load.
 * Mount it at the root, before the GraphQL API.
 * @throws Error if the pages are not built
 */
export function pagesRoutes({ facts, health, brand }: PagesParts): Router {
  readManifest();
  const { introspection } = facts();
  const router = Router({ strict: true, caseSensitive: true });
  const getOnly = onlyMethod('GET, HEAD');
  router.all('/', getOnly, async (_req, res) =>
    sendPage(res, startPage(await health.readiness(), facts(), newRun(), brand)),
  );
  router.all('/docs', getOnly, (_req, res) => {
    const styleNonce = newNonce();
    sendPage(res, docsPage(styleNonce, brand), styleNonce);
  });
  // Not `get`: the router would then answer OPTIONS with the methods of the page only, instead of those of the API.
  router.all('/graphql', async (req, res, next) => {
    res.vary('Accept');
    if (!isForReading(req)) {
      return next();
    }
    const styleNonce = newNonce();
    // Loaded only here, because it imports graphql, which would delay the start.
    const { findOperations } = await import('./operations.ts');
    const page = graphiqlPage({ introspection, styleNonce, operations: await findOperations() }, brand);
    sendPage(res, page, styleNonce);
  });
  // If introspection is off, the schema is not available as a file either.
  if (introspection) {
    router.all('/schema.graphql', getOnly, contract('schema.graphql', 'text/plain; charset=utf-8'));
  }
  router.all('/openapi.yaml', getOnly, contract('openapi.yaml', 'application/yaml'));
  router.use(sendAsset);
  router.use(manualRoutes());
  return router;
}

/** True if a browser opens the address, false if a client sends a query. */
const isForReading = (req: Request): boolean =>
  ['GET', 'HEAD'].includes(req.method) &&
  req.query.query === undefined &&
  req.accepts(['application/json', 'text/html']) === 'text/html';

/** GraphiQL and Scalar add style elements, which need the nonce of the page (`pages/shared/style-nonce.ts`). */
const newNonce = (): string => randomBytes(16).toString('base64url');

/** For e-mail addresses that nobody has yet. */
const newRun = (): string => randomBytes(3).toString('hex');

/** The documentation of the REST API, with forms to try it. */
const docsPage = (styleNonce: string, brand: PageBrand): string =>
  shell({
    title: 'REST API',
    brand,
    entry: 'docs/main.ts',
    body: html`<div id="docs"></div>`,
    settings: { styleNonce },
  });

/** The settings for the script of the GraphiQL page. */
interface GraphiqlSettings {
  introspection: boolean;
  /** A new value for every page (CSP Level 3 section 7.1). */
  styleNonce: string;
  operations: ExampleOperation[];
}

const NOTICE = html`<aside id="notice">Introspection is off here: operations run, but there is no documentation.</aside>
`;

/** The page to try the GraphQL API. */
const graphiqlPage = (settings: GraphiqlSettings, brand: PageBrand): string =>
  shell({
    title: 'GraphiQL',
    brand,
    entry: 'graphiql/main.tsx',
    body: html`${settings.introspection ? '' : NOTICE}<div id="graphiql"><main>Loading …</main></div>`,
    settings,
  });

function sendPage(res: Response, html: string, styleNonce?: string): void {
  const nonce = styleNonce === undefined ? '' : ` 'nonce-${styleNonce}'`;
  res.set('Content-Security-Policy', `${POLICY}; style-src 'self'${nonce}`);
  res.type('html').send(html);
}

const contract =
  (file: string, contentType: string): RequestHandler =>
  (req, res, next) => {
    const headers = { 'Cache-Control': 'no-cache', 'Content-Type': contentType };
    sendFile(req, res, { root: path.join(PACKAGE_ROOT, 'schema'), path: file, headers }).catch(next);
  };

/**
 * The policy of a worker, which is that of its own file and not that of the page (CSP Level 3 section 3.3): it draws files of strangers
 * with WebAssembly, and reaches no network, so that it gets everything by messages from its page.
 */
const WORKER_POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Vite keeps the name of the source: `pdf.worker-<hash>.js`. */
const isWorker = (file: string): boolean => /\.worker[.-]/.test(file);

/** The files that pages load. */
export const sendAsset: RequestHandler = (req, res, next) => {
  // The path is not decoded, because the names of assets need no decoding.
  const asset = req.path.startsWith('/assets/') ? findAsset(req.path) : undefined;
  if (!asset) {
    return next();
  }
  onlyMethod('GET, HEAD')(req, res, (refused?: unknown) => {
    if (refused) {
      return next(refused);
    }
    // The build has compressed what gains by it.
    const type =
      asset.isCompressed && req.acceptsEncodings('br')
        ? COMPRESSED_TYPES[path.extname(asset.file)]
        : undefined;
    const headers = {
      'Cache-Control': `public, max-age=${SECONDS_OF_A_YEAR}, immutable`,
      ...(asset.isCompressed && { Vary: 'Accept-Encoding' }),
      ...(type !== undefined && { 'Content-Encoding': 'br', 'Content-Type': type }),
      ...(isWorker(asset.file) && { 'Content-Security-Policy': WORKER_POLICY }),
    };
    const file = type === undefined ? asset.file : `${asset.file}.br`;
    sendFile(req, res, { root: asset.root, path: file, headers }).catch(next);
  });
};

/** The types of files that the build compresses (`scripts/build/compress.js`), which `send` would take from the end of their names. */
const COMPRESSED_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.ttf': 'font/ttf',
  '.wasm': 'application/wasm',
};
