import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { NamedFinding } from '../../../src/cli/check/check.ts';
import { frontCheck } from '../../../src/cli/check/front-check.ts';
import { checkerWith } from '../../../src/cli/check/run-check.ts';
import { runnerOf } from '../../../src/cli/command-line.ts';
import { freePort } from '../../support/listen.ts';
import { collectOutputs } from '../../support/program.ts';
import { type Nginx, startNginx } from '../support/nginx.ts';

// A real nginx in front of the checker, with right and wrong directives below one path each.
const LOCATIONS: Record<string, string> = {
  right:
    'proxy_set_header X-Forwarded-For $remote_addr; proxy_request_buffering off; client_max_body_size 32m;',
  adding: 'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; client_max_body_size 32m;',
  passing: 'proxy_request_buffering off; client_max_body_size 32m;',
  removing: 'proxy_set_header X-Forwarded-For ""; client_max_body_size 32m;',
  small: 'proxy_set_header X-Forwarded-For $remote_addr; proxy_request_buffering off;',
};

let nginx: Nginx;
let port: number;
beforeAll(async () => {
  port = await freePort();
  const locations = Object.entries(LOCATIONS).map(
    ([name, directives]) =>
      `location /${name}/ { proxy_pass http://127.0.0.1:${port}/; proxy_http_version 1.1; ${directives} }`,
  );
  const away = `location /away/ { proxy_pass http://127.0.0.1:9/; }`;
  const site = `server { listen 80; ${locations.join('\n')} ${away} }`;
  nginx = await startNginx(new Map([['conf.d/site.conf', site]]), {}, {});
});
afterAll(() => nginx.stop());

/** What the checker finds out about a location. */
async function findingsAt(location: string, trustProxy: string): Promise<string[]> {
  const settings = {
    HOST: '127.0.0.1',
    PORT: String(port),
    BASE_URL: `${nginx.url}/${location}`,
    TRUST_PROXY: trustProxy,
  };
  const { stdout } = await collectOutputs((outputs) =>
    runnerOf(checkerWith({ checks: [frontCheck] }))(['--json'], () => settings, outputs),
  );
  const lines = stdout.trim().split('\n').slice(0, -1);
  const findings = lines.map((line) => JSON.parse(line) as NamedFinding);
  return findings.filter(({ check }) => check === 'proxies').map(({ level, text }) => `${level}: ${text}`);
}

test('with the directives of the documentation all is sound', async () => {
  expect(await findingsAt('right', '1')).toEqual([
    expect.stringMatching(
      /^ok: A forged X-Forwarded-For header is ignored\. The gateway sees the checker at 127\.0\.0\.1/,
    ),
    expect.stringMatching(/^ok: Uploads of 31 MiB/),
  ]);
});

test.each([
  ['adding', '2', /^error: Callers can choose the address/],
  ['passing', '1', /^error: Callers can choose the address/],
  ['removing', '1', /^error: TRUST_PROXY is set, but no X-Forwarded-For arrives/],
  ['adding', 'off', /^error: There is a proxy in front of the gateway, but TRUST_PROXY is off/],
  ['away', '1', /^error: The proxy at BASE_URL cannot reach the gateway: 502/],
])('the location %s with TRUST_PROXY=%s is an error', async (location, trustProxy, finding) => {
  expect((await findingsAt(location, trustProxy))[0]).toMatch(finding);
});

test('a limit for bodies below that of the gateway is an error, and buffered uploads are a warning', async () => {
  expect((await findingsAt('small', '1'))[1]).toMatch(/^error: The proxy refuses uploads of 31 MiB/);
  expect((await findingsAt('adding', '1'))[1]).toMatch(/^warning: The proxy buffers each upload/);
  expect(await readdir(path.join(nginx.folder, 'bodies'))).toEqual([]);
});
