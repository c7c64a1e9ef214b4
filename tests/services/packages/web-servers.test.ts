import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { install, pack, runIn } from '../../support/consumer.ts';
import { filesUnder } from '../../support/readme.ts';
import { useTestApp } from '../../support/test-app.ts';

// The recipes of docs/web-servers: compiled against the frameworks, and their handlers called. That of Next.js is in tests/browser.
const PACKAGES = [
  ...['react-router@7', 'react@19', 'react-dom@19', '@types/react@19', '@types/node@20', 'typescript@5'],
  ...['@sveltejs/kit@2', '@sveltejs/vite-plugin-svelte@6', 'svelte@5', 'vite@7', 'h3@1'],
];
const INSTALL_MILLIS = 600_000;

const app = useTestApp({ TRUST_PROXY: 'loopback' });
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-consumer-'));
  await writeFile(path.join(folder, 'package.json'), '{"private":true}');
  const [client] = await pack(folder, 'packages/client');
  await install(folder, ...PACKAGES, client?.file ?? '');
}, INSTALL_MILLIS);
afterAll(() => rm(folder, { recursive: true, force: true }));

const OPTIONS = {
  strict: true,
  exactOptionalPropertyTypes: true,
  module: 'esnext',
  moduleResolution: 'bundler',
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable'],
  jsx: 'react-jsx',
  skipLibCheck: true,
  rootDir: '.',
  outDir: 'out',
  types: ['node'],
};

/** Each calls `handler(request)` and `nameOf(request)`, which is null or undefined for nobody, or throws. */
const FRAMEWORKS: Record<string, { document: string; adapter: string }> = {
  'React Router 7': {
    document: 'react-router',
    adapter: `
      const { action } = require('./out/app/routes/api.auth.js');
      const { loader } = require('./out/app/routes/records.js');
      const handler = (request) => action({ request });
      const nameOf = async (request) => (await loader({ request })).name;`,
  },
  'SvelteKit 2': {
    document: 'sveltekit',
    adapter: `
      const { POST } = require('./out/src/routes/api/auth/+server.js');
      const { load } = require('./out/src/routes/records/+page.server.js');
      const handler = (request) => POST({ request });
      const nameOf = async (request) => (await load({ request })).name;`,
  },
  'Nuxt 3': {
    document: 'nuxt',
    adapter: `
      const { createApp, createRouter, toWebHandler } = require('h3');
      const router = createRouter();
      router.post('/api/auth', require('./out/server/api/auth.post.js').default);
      router.get('/api/session', require('./out/server/api/session.get.js').default);
      const handler = toWebHandler(createApp().use(router));
      const nameOf = async ({ headers }) =>
        (await (await handler(new Request('https://app.example.org/api/session', { headers }))).json())?.name;`,
  },
};

/** A visitor who registers, is known to a page, and logs out. */
const VISIT = `
const { createAuthClient } = require('@auth-gateway/client');
let cookie = '';
const OF_PAGE = { Origin: 'https://app.example.org', Host: 'app.example.org', 'X-Forwarded-For': '203.0.113.7' };
const fetch = async (url, init) => {
  const headers = { ...init.headers, ...OF_PAGE, ...(cookie && { Cookie: cookie }) };
  const answer = await handler(new Request(url, { ...init, headers, duplex: 'half' }));
  for (const line of answer.headers.getSetCookie()) cookie = line.split(';')[0];
  return answer;
};
const page = () => new Request('https://app.example.org/records', { headers: { Cookie: cookie } });
const known = () => Promise.resolve().then(() => nameOf(page())).then((name) => name ?? null, () => null);
(async () => {
  const client = createAuthClient({ url: 'https://app.example.org/api/auth', session: 'cookie', fetch });
  const names = [await known()];
  const result = await client.registerPatient({ name: 'Pat', email: process.argv[2], password: 'correct horse' });
  names.push(await known());
  await client.logout();
  names.push(await known());
  const forged = await handler(new Request('https://app.example.org/api/auth', { method: 'POST', headers: OF_PAGE, body: '{}' }));
  console.log(JSON.stringify({ isOk: result.ok, names, token: result.data?.token, forged: forged.status }));
})();`;

test.each(Object.keys(FRAMEWORKS))('the recipe of %s compiles, and its handler works', async (framework) => {
  const { document = '', adapter = '' } = FRAMEWORKS[framework] ?? {};
  const project = path.join(folder, document);
  for (const [name, code] of await filesUnder('The application', `docs/web-servers/${document}.md`)) {
    const file = path.join(project, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, code);
  }
  await symlink(path.join(folder, 'node_modules'), path.join(project, 'node_modules'));
  await writeFile(path.join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS }));
  const tsc = path.join(folder, 'node_modules/.bin/tsc');
  await runIn(project, tsc, '--noEmit');
  // For Node.js: a bundler would do this.
  await runIn(project, tsc, '--noCheck', '--module', 'commonjs', '--moduleResolution', 'node10');
  await writeFile(path.join(project, 'visit.cjs'), `${adapter}\n${VISIT}`);
  const email = `${document}@example.org`;
  // SvelteKit is there as an ES module alone.
  const node = ['node', '--conditions', 'import', '--no-warnings', 'visit.cjs', email];
  const output = await runIn(project, 'env', `AUTH_GATEWAY_URL=${app.url}`, ...node);
  expect(JSON.parse(output)).toEqual({ isOk: true, names: [null, 'Pat', null], token: '', forged: 403 });
});
