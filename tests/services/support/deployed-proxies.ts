import { type ChildProcess, spawn } from 'node:child_process';
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

/** A proxy that runs with its file of deploy/ before two gateways. */
export interface DeployedProxy {
  /** Its public address, with TLS. */
  baseUrl: string;
  /** Its port without TLS. */
  httpUrl: string;
  /** Where tests reach the port with TLS by plain HTTP. */
  url: string;
  /** What it has written about requests so far. */
  log(): Promise<string>;
  stop(): Promise<void>;
}

/** @param gateways the ports of two gateways, which need not run yet */
export type StartProxy = (gateways: readonly [number, number]) => Promise<DeployedProxy>;

/** Starts nginx with deploy/nginx. Replaced are the ports, the addresses of the gateways, and the places of certificate and log. */
export const startDeployedNginx: StartProxy = async ([first, second]) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-nginx-tls-'));
  const port = await freePort();
  const { cert, key } = selfSigned('127.0.0.1');
  await writeFile(path.join(folder, 'fullchain.pem'), cert);
  await writeFile(path.join(folder, 'privkey.pem'), key);
  const site = await readFile('deploy/nginx/auth-gateway.conf', 'utf8');
  const log = path.join(folder, 'auth-gateway.log');
  const nginx = await startNginx(
    new Map([['conf.d/auth-gateway.conf', site]]),
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
  const folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-caddy-'));
  const [port, httpPort] = [await freePort(), await freePort()];
  const child = spawn('caddy', ['run', '--config', 'deploy/caddy/Caddyfile'], {
    env: {
      PATH: SEARCH_PATH,
      HOME: folder,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
      CADDY_ADMIN: 'off',
      HTTP_PORT: String(httpPort),
      HTTPS_PORT: String(port),
      SITE_ADDRESS: '127.0.0.1',
      GATEWAYS: gateways.map((gateway) => `127.0.0.1:${gateway}`).join(' '),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr?.on('data', (chunk) => {
    output += chunk;
  });
  const root = path.join(folder, 'caddy/pki/authorities/local/root.crt');
  const ca = await waitFor(
    child,
    () => output,
    async () => {
      await fetch(`http://127.0.0.1:${httpPort}/`, { redirect: 'manual' });
      return await readFile(root, 'utf8');
    },
  );
  const end = await openTlsEnd(port, ca);
  return {
    baseUrl: `https://127.0.0.1:${port}`,
    httpUrl: `http://127.0.0.1:${httpPort}`,
    url: end.url,
    log: async () => output,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      await end.stop();
      await rm(folder, { recursive: true });
    },
  };
};

/** Tries until a proxy answers. @throws what it has printed, if it ends before */
async function waitFor<T>(child: ChildProcess, output: () => string, act: () => Promise<T>): Promise<T> {
  let result: T | undefined;
  await eventually(async () => {
    expect([child.exitCode, child.exitCode === null ? '' : output()]).toEqual([null, '']);
    result = await act();
  });
  return result as T;
}
