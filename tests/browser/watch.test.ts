import { createServer } from 'node:http';
import { eventually } from '../support/eventually.ts';
import { listenOnFreePort } from '../support/listen.ts';
import { useBrowser } from './support/browser.ts';

// Whether the watch of the other browser tests sees anything at all: each test takes what it has seen.

const browser = useBrowser();

/** Serves one page and nothing else. */
async function serve(script: string, headers: Record<string, string> = {}): Promise<string> {
  const server = createServer((request, response) => {
    const isPage = request.url === '/';
    response.writeHead(isPage ? 200 : 404, { 'Content-Type': 'text/html', ...headers });
    // Without an icon of its own, the browser asks for one that is not there.
    const icon = '<link rel="icon" href="data:,">';
    response.end(isPage ? `<!doctype html><title>A page</title>${icon}<script>${script}</script>` : '');
  });
  return `http://127.0.0.1:${await listenOnFreePort(server.unref())}/`;
}

const CSP = { 'Content-Security-Policy': "default-src 'none'" };

test.each([
  ['an error in the console', 'console.error("oh dear")', {}, /^console: oh dear/],
  ['a warning in the console', 'console.warn("oh well")', {}, /^console: oh well/],
  ['an uncaught error', 'throw new Error("oh no")', {}, /^uncaught: oh no/],
  ['a rejection that nobody handles', 'Promise.reject(new Error("oh my"))', {}, /^uncaught: oh my/],
  ['a missing resource', 'fetch("/nothing")', {}, /^console: Failed to load resource.*404/],
  ['a request to another host', 'fetch("http://other.example/")', {}, /^another host: GET http:\/\/other/],
  ['a request to another port', 'new Image().src = "http://127.0.0.1:9/"', {}, /^another host: GET/],
  ['a failed request', 'fetch("http://other.example/")', {}, /^failed: GET http:\/\/other/],
  ['a web socket', 'new WebSocket("ws://127.0.0.1:9/")', {}, /^web socket: ws:/],
  ['a violation of the Content-Security-Policy', 'alert()', CSP, /^console: .*Content Security Policy/],
])('the watch reports %s', async (_what, script, headers, problem) => {
  const page = await browser.open(await serve(script, headers));

  const seen: string[] = [];
  await eventually(async () => {
    seen.push(...(await browser.takeProblems()));
    expect(seen).toContainEqual(expect.stringMatching(problem));
  });
  // What follows from it, such as a request that fails in the end, goes with the page: it is none of the next test's.
  await page.close();
  await browser.takeProblems();
});

test('the watch does not report a faultless page', async () => {
  await browser.open(await serve('console.info("all is well"); new Image().src = "data:,"'));

  expect(await browser.takeProblems()).toEqual([]);
});

test('the watch does not report an icon that the browser abandons with its page', async () => {
  const server = createServer((request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' });
    if (request.url === '/') {
      response.end('<!doctype html><title>A page</title><link rel="icon" href="/icon.svg">');
    } else {
      response.flushHeaders();
    }
  });
  const asked = new Promise<void>((resolve) =>
    server.on('request', ({ url }) => url === '/icon.svg' && resolve()),
  );
  const page = await browser.open(`http://127.0.0.1:${await listenOnFreePort(server.unref())}/`);
  await asked;
  await page.reload();

  expect(await browser.takeProblems()).toEqual([]);
});
