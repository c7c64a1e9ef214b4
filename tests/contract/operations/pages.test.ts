import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { findOperations } from '../../../src/api/pages/operations.ts';
import { readManifest } from '../../../src/api/pages/shell.ts';
import { named } from '../../support/database-messages.ts';
import { useProxiedApp } from '../../support/database-proxy.ts';
import { type HttpResponse, jsonOf, send } from '../../support/http.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { createTestApp, testClock, useTestApp } from '../../support/test-app.ts';

// What Chromium sends when somebody opens an address.
const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8' };

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.ttf': 'font/ttf',
  '.wasm': 'application/wasm',
};

const urlsIn = ({ text }: HttpResponse): string[] =>
  [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url = '']) => url);

const assetsOf = (page: HttpResponse): string[] => urlsIn(page).filter((url) => url.startsWith('assets/'));

describe('with pages', () => {
  const app = useTestApp({ PAGES: 'on' });

  test.each(['/', '/graphql', '/docs'])(
    '%s is a page with a strict policy that is never cached',
    async (path) => {
      const page = await send(`${app.url}${path}`, { headers: BROWSER });
      expect(page.status).toBe(200);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(page.headers.get('x-content-type-options')).toBe('nosniff');
      const policy = page.headers.get('content-security-policy');
      expect(policy).toContain("default-src 'none'; script-src 'self';");
      expect(policy).toContain("base-uri 'none'; frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect((await sendRaw(app.url, { path, method: 'HEAD', headers: BROWSER })).status).toBe(200);
    },
  );

  test.each(['/', '/graphql', '/docs'])(
    '%s loads only files of this server, which may be cached for good',
    async (path) => {
      const page = await send(`${app.url}${path}`, { headers: BROWSER });
      expect(urlsIn(page).filter((url) => /^(?:\w+:|\/\/)/.test(url))).toEqual([]);
      expect(page.text).not.toMatch(/<script(?![^>]*(?:src=|application\/json))|<style|\son\w+=/);
      expect(assetsOf(page).length).toBeGreaterThan(1);
      for (const url of assetsOf(page)) {
        const asset = await send(`${app.url}/${url}`);
        expect(asset.status).toBe(200);
        expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
        expect(asset.headers.get('content-type')).toMatch(/javascript|css|svg/);
      }
    },
  );

  test('scripts and styles are compressed for browsers that can read it, and are the same for others', async () => {
    const page = await send(`${app.url}/docs`, { headers: BROWSER });
    const large = assetsOf(page).filter((url) => /\.(?:js|css)$/.test(url));
    for (const url of large) {
      const path = `/${url}`;
      const plain = await sendRaw(app.url, { path, headers: { 'Accept-Encoding': 'identity' } });
      const small = await sendRaw(app.url, { path, headers: { 'Accept-Encoding': 'gzip, br' } });
      expect(plain.headers.get('content-encoding')).toBeNull();
      if (plain.bytes.length < 1_024) {
        continue;
      }
      expect(small.headers.get('content-encoding')).toBe('br');
      expect(brotliDecompressSync(small.bytes).equals(plain.bytes)).toBe(true);
      for (const name of ['content-type', 'cache-control', 'vary']) {
        expect(small.headers.get(name)).toBe(plain.headers.get(name));
      }
      expect(small.headers.get('vary')).toContain('Accept-Encoding');
      expect(small.headers.get('etag')).not.toBe(plain.headers.get('etag'));
      const again = { 'Accept-Encoding': 'br', 'If-None-Match': small.headers.get('etag') ?? '' };
      expect((await sendRaw(app.url, { path, headers: again })).status).toBe(304);
    }
    expect(large.length).toBeGreaterThan(1);
    for (const { file } of Object.values(readManifest())) {
      expect((await send(`${app.url}/${file}.br`)).status).toBe(404);
    }
  });

  test('only workers may compile WebAssembly, and they reach no network', async () => {
    const files = Object.values(readManifest()).flatMap(({ file, assets = [] }) => [file, ...assets]);
    const workers = new Set(files.filter((file) => file.includes('.worker')));
    const names = [...workers].map((file) => file.replace(/^assets\/(.*)\.worker.*$/, '$1'));
    expect(names).toEqual(expect.arrayContaining(['docx', 'editor', 'pdf', 'picture']));
    for (const file of workers) {
      const worker = await send(`${app.url}/${file}`);
      expect([file, worker.headers.get('content-type')]).toEqual([file, 'text/javascript; charset=utf-8']);
      expect(worker.headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
    }
    for (const name of ['console', 'openjpeg', 'libheif-bundle', 'LiberationSans-Bold']) {
      const file = files.find((each) => each.startsWith(`assets/${name}-`)) ?? '';
      const { headers } = await sendRaw(app.url, { path: `/${file}`, headers: { 'Accept-Encoding': 'br' } });
      expect(headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'");
      expect([headers.get('content-encoding'), headers.get('content-type')]).toEqual([
        'br',
        TYPES[path.extname(file)],
      ]);
    }
  });

  test('the style nonce of GraphiQL changes with every request', async () => {
    const nonceOf = async () => {
      const page = await send(`${app.url}/graphql`, { headers: BROWSER });
      const [, nonce = ''] =
        /style-src 'self' 'nonce-([\w-]{22})'/.exec(page.headers.get('content-security-policy') ?? '') ?? [];
      expect(page.text).toContain(`"styleNonce":"${nonce}"`);
      return nonce;
    };
    const nonce = await nonceOf();
    expect(nonce).not.toBe('');
    expect(await nonceOf()).not.toBe(nonce);
  });

  test('the start page says that everything works', async () => {
    const { text } = await send(`${app.url}/`);
    expect(text).toContain('The database answers');
    expect(text).toContain('The document storage answers');
  });

  test.each([
    ['any type', { Accept: '*/*' }, ''],
    ['JSON', { Accept: 'application/json' }, ''],
    ['JSON rather than HTML', { Accept: 'application/json, text/html;q=0.5' }, ''],
    ['HTML, with a query', BROWSER, '?query=%7B__typename%7D'],
  ])('the GraphQL API answers GET /graphql for %s', async (_what, headers, search) => {
    const response = await send(`${app.url}/graphql${search}`, { headers });
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(response.headers.get('vary')).toContain('Accept');
  });

  test('GraphiQL has every operation in a tab, doctors with a null for each file', async () => {
    const { text } = await send(`${app.url}/graphql`, { headers: BROWSER });
    const [, json = ''] = /<script type="application\/json" id="settings">(.*?)<\/script>/s.exec(text) ?? [];
    const { operations } = JSON.parse(json) as { operations: { query: string; variables?: string }[] };
    const names = operations.map(({ query }) => /^(?:query|mutation) (\w+)/.exec(query)?.[1]);
    expect(names).toEqual(expect.arrayContaining(['Me', 'RegisterDoctor', 'RegisterPatient', 'Login']));
    expect(operations[names.indexOf('RegisterDoctor')]?.variables).toContain('"licenseFile": null');
    expect(text).not.toContain('Introspection is off');
  });

  test('after DeleteMyAccount, no tab needs the account, and the comments name commands that exist', async () => {
    const operations = await findOperations();
    const names = operations.map(({ query }) => /^(?:query|mutation) (\w+)/m.exec(query)?.[1] ?? '');
    const end = names.indexOf('DeleteMyAccount');
    expect(names.slice(0, 2)).toEqual(['RegisterPatient', 'Login']);
    expect(names.slice(end + 1)).toEqual(['DoctorsForReview', 'DoctorForReview', 'DecideOnDoctor']);
    // An operation that src/api/pages/operations.ts does not name would be first.
    expect(end).toBe(names.length - 4);
    const commands = operations.flatMap(({ query }) =>
      [...query.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
    );
    expect(new Set(commands)).toEqual(
      new Set([
        'auth-gateway admin accounts reset-link',
        'auth-gateway admin accounts create --role reviewer',
      ]),
    );
  });

  test.each(['/', '/docs', '/schema.graphql', '/openapi.yaml'])('%s accepts only GET', async (path) => {
    const response = await send(`${app.url}${path}`, { method: 'POST' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
    expect(jsonOf(response)).toEqual({ message: expect.any(String) });
  });

  test('/graphql accepts the methods of the GraphQL API from browsers and others', async () => {
    for (const headers of [BROWSER, {}]) {
      const options = await send(`${app.url}/graphql`, { method: 'OPTIONS', headers });
      expect([options.status, options.headers.get('allow'), options.text]).toEqual([200, 'GET, POST', '']);
    }
    const post = { method: 'POST', headers: { Accept: 'text/html', 'Content-Type': 'application/json' } };
    const response = await send(`${app.url}/graphql`, { ...post, body: '{"query":"{__typename}"}' });
    expect(response.status).toBe(406);
    jsonOf(response);
  });

  test('the gateway serves the GraphQL schema and refuses a failed condition as JSON', async () => {
    const schema = await send(`${app.url}/schema.graphql`);
    expect(schema.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(schema.text).toContain('type Mutation');
    const refused = await send(`${app.url}/schema.graphql`, { headers: { 'If-Match': '"other"' } });
    expect(refused.status).toBe(412);
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect(jsonOf(refused)).toEqual({ message: 'Precondition Failed' });
  });

  test('the gateway serves no other file of the build or the project, however its path is written', async () => {
    const page = await send(`${app.url}/docs`, { headers: BROWSER });
    const [asset = ''] = assetsOf(page).filter((url) => url.endsWith('.js'));
    const paths = [
      '/manifest.json',
      '/assets/manifest.json',
      '/assets/../manifest.json',
      '/assets/%2e%2e/manifest.json',
      '/assets/..%2fmanifest.json',
      '/assets/%2e%2e/%2e%2e/main.js',
      '/assets/../../../package.json',
      '/assets/',
      '/assets',
      `/${asset}.map`,
      `/${asset}/`,
      `/${asset.replace('.js', '%2Ejs')}`,
      `/${asset.replace(/-[^-.]+\.js$/, '-00000000.js')}`,
    ];
    for (const path of paths) {
      const response = await sendRaw(app.url, { path });
      expect([path, response.status]).toEqual([path, 404]);
      expect(jsonOf(response)).toEqual({ message: expect.any(String) });
    }
    expect((await send(`${app.url}/${asset}`, { method: 'POST' })).headers.get('allow')).toBe('GET, HEAD');
  });

  test('the start page tells what runs here, and no path or address of another server', async () => {
    const { text } = await send(`${app.url}/`);
    expect(text).toContain('<dt>Database</dt><dd>MongoDB</dd>');
    expect(text).toContain('<dt>Documents</dt><dd>A folder of this machine, public links</dd>');
    expect(text).toContain('<dt>Mails</dt><dd>Are not sent');
    expect(text).toContain(`<dt>Address</dt><dd><code>${app.url}</code></dd>`);
    expect(text).not.toContain(app.storageDir);
    expect(text).not.toContain(new URL(app.database.uri).host);
    expect(text).not.toContain(process.cwd());
  });

  test('no shell takes a part of the examples for a command of its history', async () => {
    const examples = (await send(`${app.url}/`)).text.match(/<pre[\s\S]*?<\/pre>/g) ?? [];
    expect(examples).toHaveLength(2);
    // Only a blank after it makes it harmless in every shell.
    expect(examples.filter((example) => /!(?! )/.test(example))).toEqual([]);
  });
});

describe('without introspection', () => {
  const app = useTestApp({ PAGES: 'on', GRAPHQL_INTROSPECTION: 'off' });

  test('the gateway does not serve the schema as a file without introspection', async () => {
    expect((await send(`${app.url}/schema.graphql`)).status).toBe(404);
    expect((await send(`${app.url}/`)).text).not.toContain('schema.graphql');
  });

  test('GraphiQL says that introspection is off', async () => {
    expect((await send(`${app.url}/graphql`, { headers: BROWSER })).text).toContain('Introspection is off');
  });
});

test('the start page writes BASE_URL as text, and as one word of a shell', async () => {
  const PEOPLE_URL = 'https://login.example/people';
  const app = await createTestApp({ PAGES: 'on', PEOPLE_URL, BASE_URL: "https://gateway.example/a'&b" });
  try {
    const { text } = await send(`${app.url}/`);
    expect(text).toContain('<code>https://gateway.example/a&#39;&amp;b/graphql</code>');
    expect(text).toContain('<a href="people">people</a>');
    const word = String.raw`'https://gateway.example/a'\''&b/graphql'`;
    expect(text).toContain(`curl ${word.replaceAll("'", '&#39;').replace('&b', '&amp;b')} `);
  } finally {
    await app.stop();
  }
});

test('a gateway whose pages are not built says what to do', () => {
  expect(() => readManifest('/nowhere')).toThrow(
    'The pages are not built. Run `npm run build:pages`, or set PAGES=off.',
  );
});

describe('without pages', () => {
  const app = useTestApp({ PAGES: 'off' });

  test.each(['/', '/docs', '/schema.graphql', '/openapi.yaml'])(
    '%s is 404 in JSON without pages',
    async (path) => {
      const response = await send(`${app.url}${path}`, { headers: BROWSER });
      expect(response.status).toBe(404);
      expect(jsonOf(response)).toEqual({ message: expect.any(String) });
    },
  );

  test('a browser at /graphql gets the GraphQL API without pages', async () => {
    const response = await send(`${app.url}/graphql`, { headers: BROWSER });
    expect(response.headers.get('content-type')).not.toContain('text/html');
  });
});

describe('when the database goes away', () => {
  const behind = useProxiedApp({ PAGES: 'on' });
  /** No check takes longer or is older when it is shown. */
  const CHECK_MILLIS = 1_000;

  function expectAway({ status, text }: HttpResponse) {
    expect(status).toBe(200);
    expect(text).toContain('The database does not answer');
    expect(text.replaceAll(behind.app.url, '')).not.toMatch(/127\.0\.0\.1|mongodb:/);
  }

  test('the start page only says that the database is unreachable while it does not answer', async () => {
    const swallowed = behind.proxy.breakAt({ command: named('ping 1'), when: 'before' }, 'swallow');
    const page = send(`${behind.app.url}/`);
    await swallowed;
    await testClock.advance(CHECK_MILLIS);
    expectAway(await page);
  });

  test('the start page says that only the database is unreachable while it refuses connections', async () => {
    await testClock.advance(CHECK_MILLIS);
    await behind.proxy.cut();
    const page = await send(`${behind.app.url}/`);
    expectAway(page);
    expect(page.text).toContain('The document storage answers');
  });
});
