import { type Html, html } from '../../system/output-encoding.ts';
import { ownVersion } from '../../system/own-package.ts';
import type { Readiness } from '../http/health.ts';
import { type PageBrand, pageFooter } from './brand.ts';
import { assetUrl, shell } from './shell.ts';

/** What the start page shows about the gateway. Everybody may know it: no path, no address of another server, no secret. */
export interface GatewayFacts {
  database: 'embedded' | 'memory' | 'mongodb';
  documentStore: 'local' | 's3';
  /** True if the links to documents are signed and end. */
  signedDocuments: boolean;
  mails: boolean;
  /** True if clients may read the schema. */
  introspection: boolean;
  /** True if people sign up and log in at `/people`. */
  hasPeople: boolean;
  /** True if the manual was made. */
  hasManual: boolean;
  /** Without a slash at the end. */
  baseUrl: string;
}

const DATABASES = {
  embedded: 'Embedded in this process',
  memory: 'In memory: all is gone when the gateway ends',
  mongodb: 'MongoDB',
};
const STORES = { local: 'A folder of this machine', s3: 'S3' };

/**
 * The start page: what this is, what runs here and whether it works, one example of each API, and links.
 * @param run makes the e-mail addresses of the examples new
 */
export const startPage = (readiness: Readiness, facts: GatewayFacts, run: string, brand: PageBrand): string =>
  shell({
    brand,
    entry: 'start/main.ts',
    body: html`${head(readiness, brand)}
<main class="column">
${hero()}
${apis(facts, run)}
${runsHere(readiness, facts)}
${next(facts)}
</main>
${pageFooter(brand)}`,
  });

const head = ({ isReady }: Readiness, { name, picture }: PageBrand): Html => html`<header><div class="column">
${picture === undefined ? html`<img src="${assetUrl('shared/favicon.svg')}" alt="" width="32" height="32">` : html`<img src="${picture}" alt="" height="32">`}
<span class="name">${name}</span> <span class="version">${ownVersion()}</span>
<span id="readiness" role="status" class="${isReady ? 'ready' : 'not-ready'}">${isReady ? 'Ready' : 'Not ready'}</span>
</div></header>`;

const hero = (): Html => html`<div class="hero">
<h1>Registration and login for doctors and patients</h1>
<p>One service with two APIs: GraphQL for new clients, and REST with the contract of the legacy service. Accounts, access tokens and
documents are the same through both.</p>
<div class="actions">
<a class="button primary" href="graphql">Open GraphiQL</a>
<a class="button" href="docs">REST documentation</a>
</div>
</div>`;

function apis({ baseUrl }: GatewayFacts, run: string): Html {
  const { graphql, rest } = startExamples(baseUrl, run);
  return html`<h2>Register a patient</h2>
<div class="cards">
<section class="card" aria-labelledby="graphql">
<h3 id="graphql">GraphQL</h3>
${example('GraphQL', `${baseUrl}/graphql`, graphql)}
<p><a href="graphql">GraphiQL</a> has every operation, ready to run.</p>
</section>
<section class="card" aria-labelledby="rest">
<h3 id="rest">REST</h3>
${example('REST', `${baseUrl}/api/v1/auth`, rest)}
<p>The <a href="docs">documentation</a> has every endpoint, with forms to try it.</p>
</section>
</div>`;
}

// The text scrolls, so the keyboard has to reach it (WCAG 2.2, 2.1.1).
const example = (name: string, address: string, text: string): Html => html`<div class="example">
<div class="bar"><code>${address}</code>
<button type="button" class="copy" value="example-${name}" aria-live="polite" hidden>Copy</button></div>
<pre id="example-${name}" tabindex="0" role="group" aria-label="Example for ${name}">${text}</pre>
</div>`;

function runsHere({ checks }: Readiness, facts: GatewayFacts): Html {
  const access = facts.signedDocuments ? 'signed links' : 'public links';
  return html`<h2>What runs here</h2>
<dl class="facts">
${fact('Database', DATABASES[facts.database], health('database', 'The database', checks.database))}
${fact('Documents', `${STORES[facts.documentStore]}, ${access}`, health('storage', 'The document storage', checks.storage))}
${fact('Mails', facts.mails ? 'Are sent' : html`Are not sent (<code>SMTP_URL</code>)`)}
${fact('Address', html`<code>${facts.baseUrl}</code>`)}
</dl>`;
}

const fact = (name: string, value: string | Html, state: string | Html = ''): Html =>
  html`<div><dt>${name}</dt><dd>${value}</dd>${state}</div>`;

/** @param id the name of the check in `/readyz`, which the script of the page reads again */
const health = (id: string, name: string, check: string): Html => {
  const [state, text] = check === 'ok' ? ['up', 'answers'] : ['down', check];
  return html`<dd class="${state}" data-check="${id}" data-name="${name}">${name} ${text}</dd>`;
};

const next = ({ introspection, hasPeople, hasManual }: GatewayFacts): Html => html`<h2>What next</h2>
<ul class="links">
${hasPeople ? link('people', 'people', 'Pages where doctors and patients sign up and log in') : ''}
${introspection ? link('schema.graphql', 'schema.graphql', 'The GraphQL schema, for code generators') : ''}
${link('openapi.yaml', 'openapi.yaml', 'The REST contract as OpenAPI 3.1')}
${hasManual ? link('manual/', 'manual', 'All documents, with a search') : ''}
${guide('docs/client.md', 'The typed client for browsers, Node.js and React')}
${guide('docs/behind-the-gateway.md', 'How other services check access tokens')}
${guide('docs/settings.md', html`Every setting, such as <code>MONGODB_URI</code>`)}
${guide('docs/operations.md', 'Health, metrics, backups and updates')}
</ul>`;

const link = (href: string, name: string, what: string): Html =>
  html`<li><a href="${href}">${name}</a><span>${what}</span></li>`;

/** A file of the project. The gateway does not serve it. */
const guide = (file: string, what: string | Html): Html =>
  html`<li><code>${file}</code><span>${what}</span></li>`;

const PASSWORD = 'correct horse battery';

/**
 * Writes one call of each API, for a shell. Each succeeds when it is pasted.
 * @param baseUrl without a slash at the end
 * @param run makes the e-mail addresses new
 */
const startExamples = (baseUrl: string, run: string) => ({
  graphql: curl(`${baseUrl}/graphql`, [
    '{',
    // A text of JSON cannot go over two lines. Some shells take `!)` for a command of their history, so a blank is between.
    '  "query": "mutation ($input: RegisterPatientInput! ) { registerPatient(input: $input) { token } }",',
    '  "variables": { "input": {',
    '    "name": "Pat Example",',
    `    "email": "pat.${run}@example.org",`,
    `    "password": "${PASSWORD}"`,
    '  } }',
    '}',
  ]),
  rest: curl(`${baseUrl}/api/v1/auth/register/patient`, [
    '{',
    '  "name": "Sam Example",',
    `  "email": "sam.${run}@example.org",`,
    `  "password": "${PASSWORD}"`,
    '}',
  ]),
});

const curl = (url: string, body: string[]): string =>
  [`curl ${shellWord(url)} \\`, "  -H 'Content-Type: application/json' \\", `  -d '${body.join('\n')}'`].join(
    '\n',
  );

/** A text as one word of a shell. A path may contain `;`, `&` or `'`, and zsh reads the brackets of an IPv6 address. */
const shellWord = (text: string): string =>
  /^[\w:/.%~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
