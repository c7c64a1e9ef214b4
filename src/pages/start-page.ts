import type { Readiness } from '../http/health/health.ts';
import { ownVersion } from './assets.ts';
import { shell } from './shell.ts';

const healthLine = (name: string, check: string): string =>
  check === 'ok' ? `<li class="up">${name} answers</li>` : `<li class="down">${name} ${check}</li>`;

/** The start page: the health of the gateway, and links. It links the schema only if clients may read it. */
export const startPage = ({ checks }: Readiness, introspection: boolean): string =>
  shell({
    title: 'auth-gateway',
    entry: 'start/main.ts',
    body: `<main>
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
  });
