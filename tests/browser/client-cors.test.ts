import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { listenOnFreePort } from '../support/listen.ts';
import { sectionOf } from '../support/readme.ts';
import { createTestApp, type TestApp, useTestApp } from '../support/test-app.ts';
import { useBrowser } from './support/browser.ts';

// A page of another origin than the gateway's, as docs/client.md describes it.
const PAGE = '<!doctype html><title>A page</title><link rel="icon" href="data:,">';
const CLIENT = path.resolve('packages/client/dist');

const browser = useBrowser();
const closed = useTestApp();
let open: TestApp;
let origin: string;

/** A page, and the modules of the built client beside it. */
const server = createServer(async ({ url = '/' }, response) => {
  const isPage = url === '/';
  response.setHeader('Content-Type', isPage ? 'text/html' : 'text/javascript');
  response.end(isPage ? PAGE : await readFile(path.join(CLIENT, path.normalize(url))));
});

beforeAll(async () => {
  origin = `http://127.0.0.1:${await listenOnFreePort(server)}`;
  open = await createTestApp({ CORS_ORIGINS: origin });
});
afterAll(async () => {
  server.close();
  await open.stop();
});

/** What `fetch` and the client report to the page about a gateway. */
async function reports(gateway: string) {
  const page = await browser.open(origin);
  return page.evaluate(async (url) => {
    const { createAuthClient } = await import(`${location.origin}/index.js`);
    const { error } = await createAuthClient({ url }).me();
    const headers = { 'Content-Type': 'application/json' };
    const sent = fetch(`${url}/graphql`, { method: 'POST', headers, body: '{"query":"{ __typename }"}' });
    const fetched = await sent.then(
      ({ status }) => String(status),
      ({ message }: Error) => message,
    );
    return { fetched, code: error.code, message: error.message };
  }, gateway);
}

test('a gateway that does not know the origin cannot be read, and the client and the console say why', async () => {
  const section = await sectionOf('A page of another origin', 'docs/client.md');
  const [, documented = ''] = /```text\n([\s\S]+?)\n```/.exec(section) ?? [];

  const { fetched, code, message } = await reports(closed.url);
  const problems = (await browser.takeProblems()).join('\n');

  expect(section).toContain(`\`${fetched}\``);
  expect([code, message]).toEqual(['NETWORK_ERROR', expect.stringContaining('CORS_ORIGINS')]);
  const inConsole = documented.replaceAll('\n', ' ').replace('http://127.0.0.1:4000', closed.url);
  expect(problems).toContain(inConsole.replace('http://127.0.0.1:5173', origin));
});

test('a gateway that knows the origin can be read', async () => {
  expect(await reports(open.url)).toMatchObject({ fetched: '200', code: 'UNAUTHENTICATED' });
  // The browser watch reports every request to another origin.
  for (const problem of await browser.takeProblems()) {
    expect(problem).toMatch(/^another host: \w+ http:\/\/127\.0\.0\.1/);
  }
});
