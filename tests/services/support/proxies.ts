import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { selfSigned } from '../../support/certificate.mjs';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/listen.ts';
import { startNginx } from './nginx.ts';
import { SEARCH_PATH } from './programs.mjs';
import { openTlsEnd } from './tls-end.ts';

/** A proxy that runs a recipe of forward authentication. */
export interface RunningProxy {
  url: string;
  stop(): Promise<void>;
}

/** A proxy that runs with its file of deploy/ before two gateways. */
export interface DeployedProxy extends RunningProxy {
  /** Its public address, with TLS. Its `url` is where tests reach the port with TLS by plain HTTP. */
  baseUrl: string;
  /** Its port without TLS. */
  httpUrl: string;
  /** What it has written about requests so far. */
  log(): Promise<string>;
}

/** @param gateways the ports of two gateways, which need not run yet */
export type StartProxy = (gateways: readonly [number, number]) => Promise<DeployedProxy>;

const newFolder = () => mkdtemp(path.join(tmpdir(), 'auth-gateway-proxy-'));
const deployed = (file: string) => readFile(path.join('deploy', file), 'utf8');

/** Starts Caddy in a folder that goes with it, and tries an act until it is ready. */
async function startCaddy<T>(
  folder: string,
  words: string[],
  env: Record<string, string>,
  act: () => Promise<T>,
) {
  const child = spawn('caddy', ['run', ...words], {
    env: { PATH: SEARCH_PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr?.on('data', (chunk) => {
    output += chunk;
  });
  let result: T | undefined;
  await eventually(async () => {
    // A proxy that refuses its configuration ends.
    expect([child.exitCode, child.exitCode === null ? '' : output]).toEqual([null, '']);
    result = await act();
  });
  return {
    result: result as T,
    log: async () => output,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

/**
 * Starts a proxy with its recipe. Only the addresses and the requirement are replaced.
 * @param gateway the address of the gateway, such as `127.0.0.1:4321`
 * @param service the address of the service behind the proxy
 * @param required what a route below `/records/` requires, in the form of a query
 */
export async function startProxy(
  name: 'nginx' | 'caddy',
  gateway: string,
  service: string,
  required = 'role=doctor',
): Promise<RunningProxy> {
  const addresses = { '127.0.0.1:4000': gateway, '127.0.0.1:5000': service, 'role=doctor': required };
  if (name === 'nginx') {
    const files = new Map([
      ['conf.d/site.conf', await deployed('nginx/forward-auth/appointments.conf')],
      ['forward-auth.conf', await deployed('nginx/forward-auth/forward-auth.conf')],
    ]);
    return startNginx(files, { ...addresses, '/etc/nginx/': '', 'listen 8080;': 'listen 80;' }, {});
  }
  const folder = await newFolder();
  const port = await freePort();
  const replaced = Object.entries({ ...addresses, '8080': String(port) });
  const recipe = await deployed('caddy/forward-auth.Caddyfile');
  const site = replaced.reduce((text, [from, to]) => text.replaceAll(from, to), recipe);
  const config = path.join(folder, 'config');
  // Caddy would offer its configuration on a port.
  await writeFile(config, `{\n\tadmin off\n}\n${site}`);
  const url = `http://127.0.0.1:${port}`;
  const { stop } = await startCaddy(folder, ['--config', config, '--adapter', 'caddyfile'], {}, () =>
    fetch(url),
  );
  return { url, stop };
}

/** Starts nginx with deploy/nginx. Replaced are the ports, the addresses of the gateways, and the places of certificate and log. */
export const startDeployedNginx: StartProxy = async ([first, second]) => {
  const folder = await newFolder();
  const port = await freePort();
  const { cert, key } = selfSigned('127.0.0.1');
  await writeFile(path.join(folder, 'fullchain.pem'), cert);
  await writeFile(path.join(folder, 'privkey.pem'), key);
  const log = path.join(folder, 'auth-gateway.log');
  const nginx = await startNginx(
    new Map([['conf.d/auth-gateway.conf', await deployed('nginx/auth-gateway.conf')]]),
    {
      'server 127.0.0.1:4000;': `server 127.0.0.1:${first};\n  server 127.0.0.1:${second};`,
      'listen [::]:80;': '',
      'listen [::]:443 ssl http2;': '',
      'listen 443 ssl http2;': `listen 127.0.0.1:${port} ssl http2;`,
      '/etc/letsencrypt/live/auth.example.org': folder,
      '/var/log/nginx/auth-gateway.log': log,
    },
    {},
  );
  const end = await openTlsEnd(port, cert);
  return {
    baseUrl: `https://127.0.0.1:${port}`,
    httpUrl: nginx.url,
    url: end.url,
    log: () => readFile(log, 'utf8'),
    async stop() {
      await nginx.stop();
      await end.stop();
      await rm(folder, { recursive: true });
    },
  };
};

/** Starts Caddy with deploy/caddy as it is. For an address of this machine it makes the certificate itself. */
export const startDeployedCaddy: StartProxy = async (gateways) => {
  const folder = await newFolder();
  const [port, httpPort] = [await freePort(), await freePort()];
  const env = {
    CADDY_ADMIN: 'off',
    HTTP_PORT: String(httpPort),
    HTTPS_PORT: String(port),
    SITE_ADDRESS: '127.0.0.1',
    GATEWAYS: gateways.map((gateway) => `127.0.0.1:${gateway}`).join(' '),
  };
  const httpUrl = `http://127.0.0.1:${httpPort}`;
  const caddy = await startCaddy(folder, ['--config', 'deploy/caddy/Caddyfile'], env, async () => {
    await fetch(httpUrl, { redirect: 'manual' });
    return readFile(path.join(folder, 'caddy/pki/authorities/local/root.crt'), 'utf8');
  });
  const end = await openTlsEnd(port, caddy.result);
  return {
    baseUrl: `https://127.0.0.1:${port}`,
    httpUrl,
    url: end.url,
    log: caddy.log,
    async stop() {
      await caddy.stop();
      await end.stop();
    },
  };
};
