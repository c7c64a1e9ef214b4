import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { freePort } from '../../support/listen.ts';
import { SEARCH_PATH } from './programs.mjs';

/** A running nginx with files of `deploy`. */
export interface Nginx {
  /** Its address on loopback. */
  url: string;
  /** What is /etc/nginx for it. */
  folder: string;
  /** Runs an act that reloads the configuration, and waits until only the new one is in use. */
  reloading<T>(act: () => Promise<T>): Promise<T>;
  /** Replaces a link below its folder, and reloads the configuration, as the document tells an operator. */
  switchTo(link: string, target: string): Promise<void>;
  stop(): Promise<void>;
}

/** The files of nginx for a move, by their path below /etc/nginx. */
export async function filesOfTheMove(): Promise<Map<string, string>> {
  const folder = 'deploy/nginx/move';
  const names = await readdir(folder, { recursive: true });
  const files = names.filter((name) => name.endsWith('.conf'));
  return new Map(
    await Promise.all(
      files.map(
        async (name): Promise<[string, string]> => [name, await readFile(path.join(folder, name), 'utf8')],
      ),
    ),
  );
}

/**
 * Starts nginx.
 * @param files its configuration below /etc/nginx; those of `conf.d` are servers
 * @param addresses what to write in the place of addresses and ports in these files; `listen 80` becomes a free port
 * @param links symbolic links below /etc/nginx and their targets
 */
export async function startNginx(
  files: Map<string, string>,
  addresses: Record<string, string>,
  links: Record<string, string>,
): Promise<Nginx> {
  const folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-nginx-'));
  const port = await freePort();
  const replaced = { ...addresses, 'listen 80;': `listen 127.0.0.1:${port};` };
  for (const [name, code] of files) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    const text = Object.entries(replaced).reduce((all, [from, to]) => all.replaceAll(from, to), code);
    await writeFile(file, text);
  }
  const link = async (name: string, target: string) => {
    await rm(path.join(folder, name), { force: true });
    await symlink(target, path.join(folder, name));
  };
  for (const [name, target] of Object.entries(links)) {
    await link(name, target);
  }
  await writeFile(path.join(folder, 'nginx.conf'), mainConfiguration(folder));
  const child = start(folder, []);
  await printed(child, 'start worker process');
  const reloading = async <T>(act: () => Promise<T>): Promise<T> => {
    // An old worker accepts no connection any more when it begins to exit.
    const left = printed(child, 'gracefully shutting down');
    const result = await act();
    await left;
    return result;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    folder,
    reloading,
    switchTo: (name, target) =>
      reloading(async () => {
        await link(name, target);
        const [code] = await once(start(folder, ['-s', 'reload']), 'close');
        expect(code).toBe(0);
      }),
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'close');
      await rm(folder, { recursive: true });
    },
  };
}

/** What a distribution has in nginx.conf. Everything is below the folder, in the foreground. Without connections that are kept open, none is cut by a reload. */
const mainConfiguration = (folder: string) => `
  daemon off;
  user ${userInfo().username};
  worker_processes 1;
  pid ${folder}/pid;
  error_log stderr notice;
  events {}
  http {
    access_log off;
    keepalive_timeout 0;
    client_body_temp_path ${folder}/bodies;
    proxy_temp_path ${folder}/answers;
    fastcgi_temp_path ${folder}/fastcgi;
    scgi_temp_path ${folder}/scgi;
    uwsgi_temp_path ${folder}/uwsgi;
    include conf.d/*.conf;
  }`;

const start = (folder: string, words: string[]): ChildProcess =>
  spawn('nginx', ['-p', folder, '-c', path.join(folder, 'nginx.conf'), '-e', 'stderr', ...words], {
    env: { PATH: SEARCH_PATH },
    stdio: ['ignore', 'ignore', 'pipe'],
  });

/** Waits for a text on standard error. @throws if nginx ends before */
function printed(child: ChildProcess, text: string): Promise<void> {
  let output = '';
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (chunk) => {
      output += chunk;
      if (output.includes(text)) {
        resolve();
      }
    });
    child.once('close', (code) => reject(new Error(`nginx ended with ${code}: ${output}`)));
  });
}
