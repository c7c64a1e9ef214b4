import type { Readiness } from '../http/health/health.ts';
import { assetUrl, ownVersion } from './assets.ts';
import type { ExampleOperation } from './operations.ts';

/** A page. It loads only files of this server. */
const shell = (title: string, head: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${assetUrl('auth-gateway', 'favicon.svg')}">
${head}
</head>
<body>
${body}
</body>
</html>
`;

const style = (url: string): string => `<link rel="stylesheet" href="${url}">`;
const script = (url: string): string => `<script src="${url}" defer></script>`;

const healthLine = (name: string, check: string): string =>
  check === 'ok' ? `<li class="up">${name} answers</li>` : `<li class="down">${name} ${check}</li>`;

/** The start page: the health of the gateway, and links. It links the schema only if clients may read it. */
export const startPage = ({ checks }: Readiness, introspection: boolean): string =>
  shell(
    'auth-gateway',
    style(assetUrl('auth-gateway', 'start.css')),
    `<main>
<h1>auth-gateway <small>${ownVersion()}</small></h1>
<p>Registration and login for doctors and patients: a GraphQL API and a REST API over one service.</p>
<h2>Health</h2>
<ul class="health">
${healthLine('The database', checks.database)}
${healthLine('The document storage', checks.storage)}
</ul>
<h2>Try it</h2>
<ul>
<li><a href="graphql">GraphiQL</a>: the GraphQL API, with every operation ready to run</li>
<li><a href="docs">REST documentation</a>: the contract of <code>/api/v1/auth</code>, with try-it</li>
</ul>
<h2>Contracts</h2>
<ul>
${introspection ? '<li><a href="schema.graphql">schema.graphql</a>: the GraphQL schema</li>\n' : ''}<li><a href="openapi.yaml">openapi.yaml</a>: the REST API as OpenAPI</li>
</ul>
</main>`,
  );

/** The settings for the script of the GraphiQL page. */
export interface GraphiqlSettings {
  introspection: boolean;
  /** A new value for every page (CSP Level 3 section 7.1). */
  styleNonce: string;
  operations: ExampleOperation[];
}

/** The page to try the GraphQL API. */
export const graphiqlPage = (settings: GraphiqlSettings): string =>
  shell(
    'GraphiQL · auth-gateway',
    [
      style(assetUrl('graphiql', 'graphiql.min.css')),
      style(assetUrl('auth-gateway', 'graphiql.css')),
      script(assetUrl('react', 'umd/react.production.min.js')),
      script(assetUrl('react-dom', 'umd/react-dom.production.min.js')),
      script(assetUrl('graphiql', 'graphiql.min.js')),
      script(assetUrl('auth-gateway', 'graphiql.js')),
    ].join('\n'),
    `<header>
${settings.introspection ? '' : '<p id="notice">Introspection is off here: operations run, but there is no documentation.</p>'}
<form id="files" aria-label="Files for this operation" hidden></form>
<p id="authorization" hidden>
<label><input type="checkbox" autocomplete="off"> Send the latest access token with every operation</label>
</p>
</header>
<main id="graphiql">Loading …</main>
<script type="application/json" id="settings">${JSON.stringify(settings).replaceAll('<', '\\u003c')}</script>`,
  );

/** The documentation of the REST API, with forms to try it. */
export const docsPage = (): string =>
  shell(
    'REST API · auth-gateway',
    [
      style(assetUrl('swagger-ui-dist', 'swagger-ui.css')),
      script(assetUrl('swagger-ui-dist', 'swagger-ui-bundle.js')),
      script(assetUrl('auth-gateway', 'docs.js')),
    ].join('\n'),
    '<div id="docs">Loading …</div>',
  );
