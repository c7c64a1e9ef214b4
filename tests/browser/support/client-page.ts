import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { listenOnFreePort } from '../../support/listen.ts';

const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' };

export interface ClientPage {
  readonly url: string;
  /** The names of the operations that reached the gateway since the last call. */
  takeOperations(): string[];
}

/**
 * A page with the built client and React, for all tests of the file. Its server passes `/graphql` on to a gateway.
 * React is the development build, which runs all effects twice in its strict mode.
 */
export function useClientPage(gateway: { readonly url: string }): ClientPage {
  let folder: string;
  let server: Server;
  let url = '';
  let operations: string[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-client-page-'));
    const project = path.resolve('tests/browser/support/client-page');
    const build = ['build', project, '--outDir', folder, '--mode', 'development', '--logLevel', 'warn'];
    const env = { ...process.env, NODE_ENV: 'development' };
    await promisify(execFile)(path.resolve('node_modules/.bin/vite'), build, { env });
    server = createServer((req, res) => {
      if (req.method === 'POST') {
        const passed = request(
          `${gateway.url}/graphql`,
          { method: 'POST', headers: req.headers },
          (answer) => {
            answer.pipe(res.writeHead(answer.statusCode ?? 500, answer.headers));
          },
        );
        req.on('data', (chunk) =>
          operations.push(...(/(?:query|mutation) (\w+)/.exec(String(chunk))?.slice(1) ?? [])),
        );
        req.pipe(passed);
        return;
      }
      const file = new URL(req.url ?? '/', 'http://page').pathname.replace(/\/$/, '/index.html');
      readFile(path.join(folder, path.normalize(file))).then(
        (content) =>
          res.writeHead(200, { 'Content-Type': TYPES[path.extname(file)] ?? 'text/plain' }).end(content),
        () => res.writeHead(404).end(),
      );
    });
    url = `http://127.0.0.1:${await listenOnFreePort(server)}/`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  });
  return {
    get url() {
      return url;
    },
    takeOperations() {
      const taken = operations;
      operations = [];
      return taken;
    },
  };
}
