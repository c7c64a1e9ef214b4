import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { builtWith, install, pack, runIn, WITH_NEWEST } from '../../support/consumer.ts';
import { filesUnder } from '../../support/readme.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { useTestApp } from '../../support/test-app.ts';

// The recipes of docs/web-servers: compiled and built with the frameworks, and their handlers called. That of Next.js is in tests/browser.
const INSTALL_MILLIS = 600_000;

const app = useTestApp({ TRUST_PROXY: 'loopback' });
const folder = temporaryFolder();
let client = '';
beforeAll(async () => {
  const [packed] = await pack(folder, 'packages/client');
  client = packed?.file ?? '';
});

const OPTIONS = {
  strict: true,
  exactOptionalPropertyTypes: true,
  module: 'esnext',
  moduleResolution: 'bundler',
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable'],
  jsx: 'react-jsx',
  skipLibCheck: true,
  noEmit: true,
};

interface Framework {
  /** The heading of what the newest version needs instead. */
  newest?: string;
  /** The packages with types of globals that a new project has. */
  types: string[];
  /** What a new project has beside the recipe, by path. */
  files?: Record<string, string>;
  /** Defines `handler(request)` and `nameOf(request)`, which is null or undefined for nobody, or throws. */
  adapter: string;
  /** What `vite build` is called with. */
  build: string[];
}

/** Nuxt sets its flag when it builds. */
const NUXT_CONFIG = `export default ({ mode }) => ({ define: { 'import.meta.dev': mode === 'development' } });`;

const FRAMEWORKS: Record<string, Framework> = {
  'react-router': {
    types: ['node', 'vite/client'],
    adapter: `
      import { action } from './app/routes/api.auth.ts';
      import { loader } from './app/routes/records.tsx';
      const handler = (request) => action({ request });
      const nameOf = async (request) => (await loader({ request })).name;`,
    build: ['--ssr', 'visit.js'],
  },
  sveltekit: {
    newest: 'SvelteKit 3',
    types: [],
    files: {
      'vite.config.js': `import { sveltekit } from '@sveltejs/kit/vite'; export default { plugins: [sveltekit()] };`,
      'src/app.html': '<!doctype html><head>%sveltekit.head%</head><body>%sveltekit.body%</body>',
      'src/routes/records/+page.svelte': '<script>let { data } = $props();</script><h1>{data.name}</h1>',
    },
    adapter: `
      const { Server } = await import('./.svelte-kit/output/server/index.js');
      const { manifest } = await import('./.svelte-kit/output/server/manifest.js');
      const server = new Server(manifest);
      await server.init({ env: process.env });
      const handler = (request) => server.respond(request, { getClientAddress: () => '127.0.0.1' });
      const nameOf = async (request) => /<h1>(.*?)<\\/h1>/.exec(await (await handler(request)).text())?.[1];`,
    build: [],
  },
  nuxt: {
    types: ['node'],
    files: {
      'vite.config.js': NUXT_CONFIG,
      'nuxt.d.ts': 'interface ImportMeta { readonly dev: boolean }',
    },
    adapter: `
      import { createApp, createRouter, toWebHandler } from 'h3';
      import post from './server/api/auth.post.ts';
      import get from './server/api/session.get.ts';
      const router = createRouter();
      router.post('/api/auth', post);
      router.get('/api/session', get);
      const handler = toWebHandler(createApp().use(router));
      const nameOf = async ({ headers }) =>
        (await (await handler(new Request('https://app.example.org/api/session', { headers }))).json())?.name;`,
    build: ['--ssr', 'visit.js'],
  },
};

/** A visitor who registers, is known to a page, and logs out. In development no proxy says where the visitor is. */
const VISIT = `
import { createAuthClient } from '@auth-gateway/client';
let cookie = '';
const proxied = process.env.NODE_ENV === 'development' ? {} : { 'X-Forwarded-For': '203.0.113.7' };
const OF_PAGE = { Origin: 'https://app.example.org', Host: 'app.example.org', ...proxied };
const fetch = async (url, init) => {
  const headers = { ...init.headers, ...OF_PAGE, ...(cookie && { Cookie: cookie }) };
  const answer = await handler(new Request(url, { ...init, headers, duplex: 'half' }));
  for (const line of answer.headers.getSetCookie()) cookie = line.split(';')[0];
  return answer;
};
const page = () => new Request('https://app.example.org/records', { headers: { Cookie: cookie } });
const known = () => Promise.resolve().then(() => nameOf(page())).then((name) => name ?? null, () => null);
const client = createAuthClient({ url: 'https://app.example.org/api/auth', session: 'cookie', fetch });
const names = [await known()];
const result = await client.registerPatient({ name: 'Pat', email: process.argv[2], password: 'correct horse' });
names.push(await known());
await client.logout();
names.push(await known());
const forged = await handler(new Request('https://app.example.org/api/auth', { method: 'POST', headers: OF_PAGE, body: '{}' }));
console.log(JSON.stringify({ isOk: result.ok, names, token: result.data?.token, forged: forged.status }));`;

test.each(Object.keys(FRAMEWORKS))(
  'the recipe %s compiles, and its handler works in production and in development',
  async (name) => {
    const { newest, types = [], files = {}, adapter = '', build = [] } = FRAMEWORKS[name] ?? {};
    const document = `docs/web-servers/${name}.md`;
    const project = path.join(folder, name);
    const all = {
      ...Object.fromEntries(await filesUnder('The application', document)),
      ...(newest && WITH_NEWEST ? Object.fromEntries(await filesUnder(newest, document)) : {}),
      ...files,
      'package.json': '{"private":true,"type":"module"}',
      'tsconfig.json': JSON.stringify({
        compilerOptions: { ...OPTIONS, types },
        include: ['**/*', '.svelte-kit/*.d.ts'],
      }),
      'visit.js': `${adapter}\n${VISIT}`,
    };
    for (const [file, code] of Object.entries(all)) {
      await mkdir(path.join(project, path.dirname(file)), { recursive: true });
      await writeFile(path.join(project, file), code);
    }
    await install(project, ...(await builtWith(document)), client);
    const program = (file: string) => path.join(project, 'node_modules/.bin', file);
    for (const mode of ['production', 'development']) {
      const environment = ['env', `NODE_ENV=${mode}`, `AUTH_GATEWAY_URL=${app.url}`] as const;
      await runIn(project, ...environment, program('vite'), 'build', '--mode', mode, ...build);
      const visit = build.length > 0 ? 'dist/visit.js' : 'visit.js';
      const output = await runIn(project, ...environment, 'node', visit, `${name}.${mode}@example.org`);
      const visited = { isOk: true, names: [null, 'Pat', null], token: '', forged: 403 };
      expect([mode, JSON.parse(output)]).toEqual([mode, visited]);
    }
    // The build has written the types of SvelteKit.
    await runIn(project, program('tsc'), '--noEmit');
  },
  INSTALL_MILLIS,
);
