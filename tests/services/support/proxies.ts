import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/listen.ts';
import { SEARCH_PATH } from './programs.mjs';

export type ProxyName = 'nginx' | 'caddy';

/** A proxy that runs a recipe of forward authentication. */
export interface RunningProxy {
  url: string;
  stop(): Promise<void>;
}

/** The addresses in the recipes. */
const GATEWAY = '127.0.0.1:4000';
const SERVICE = '127.0.0.1:5000';
const LISTEN = '8080';
/** What the recipes require below `/records/`. */
const REQUIRED = 'role=doctor';
const INCLUDED = '/etc/nginx/forward-auth.conf';

/**
 * Starts a proxy with its recipe. Only the addresses and the requirement are replaced.
 * @param gateway the address of the gateway, such as `127.0.0.1:4321`
 * @param service the address of the service behind the proxy
 * @param required what a route below `/records/` requires, in the form of a query
 */
export async function startProxy(
  name: ProxyName,
  gateway: string,
  service: string,
  required = REQUIRED,
): Promise<RunningProxy> {
  const folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-proxy-'));
  const port = await freePort();
  const [recipe = '', included = ''] = await recipesOf(name);
  const site = recipe
    .replaceAll(GATEWAY, gateway)
    .replaceAll(SERVICE, service)
    .replaceAll(LISTEN, String(port))
    .replaceAll(REQUIRED, required)
    .replaceAll(INCLUDED, path.join(folder, 'forward-auth.conf'));
  await writeFile(path.join(folder, 'forward-auth.conf'), included);
  await writeFile(
    path.join(folder, 'config'),
    name === 'nginx' ? aroundNginx(folder, site) : aroundCaddy(site),
  );
  const child = start(name, folder);
  let output = '';
  child.stderr?.on('data', (chunk) => {
    output += chunk;
  });
  await eventually(async () => {
    // A proxy that refuses its configuration ends.
    expect([child.exitCode, child.exitCode === null ? '' : output]).toEqual([null, '']);
    await connected(port);
  });
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

/** The files of a proxy in `deploy`: the site, and what it includes. */
const RECIPES = {
  nginx: ['nginx/forward-auth/appointments.conf', 'nginx/forward-auth/forward-auth.conf'],
  caddy: ['caddy/forward-auth.Caddyfile'],
};
const recipesOf = (name: ProxyName): Promise<string[]> =>
  Promise.all(RECIPES[name].map((file) => readFile(path.join('deploy', file), 'utf8')));

/** What Debian's nginx.conf has around a site, in a folder of its own and in one process. */
const aroundNginx = (folder: string, site: string): string => `
daemon off;
master_process off;
pid ${folder}/pid;
error_log stderr;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join('\n  ')}
  ${site}
}
`;

/** Caddy would offer its configuration on a port. */
const aroundCaddy = (site: string): string => `{\n\tadmin off\n}\n${site}`;

function start(name: ProxyName, folder: string): ChildProcess {
  const config = path.join(folder, 'config');
  const words =
    name === 'nginx' ? ['-p', folder, '-c', config] : ['run', '--config', config, '--adapter', 'caddyfile'];
  const env = { PATH: SEARCH_PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  return spawn(name, words, { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] });
}

async function connected(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect').finally(() => socket.destroy());
}
