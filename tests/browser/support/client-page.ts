import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
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
    await buildInto(folder);
    server = createServer((req, res) => {
      if (req.method === 'POST') {
        req.on('data', (chunk) => operations.push(...operationIn(String(chunk))));
        pass(req, res, gateway.url);
      } else {
        serve(req, res, folder);
      }
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

async function buildInto(folder: string): Promise<void> {
  const project = path.resolve('tests/browser/support/client-page');
  const build = ['build', project, '--outDir', folder, '--mode', 'development', '--logLevel', 'warn'];
  const env = { ...process.env, NODE_ENV: 'development' };
  await promisify(execFile)(path.resolve('node_modules/.bin/vite'), build, { env });
}

const operationIn = (chunk: string): string[] => /(?:query|mutation) (\w+)/.exec(chunk)?.slice(1) ?? [];

function pass(req: IncomingMessage, res: ServerResponse, gateway: string): void {
  const { method, headers } = req;
  const passed = request(`${gateway}/graphql`, { method, headers }, (answer) => {
    answer.pipe(res.writeHead(answer.statusCode ?? 500, answer.headers));
  });
  req.pipe(passed);
}

function serve(req: IncomingMessage, res: ServerResponse, folder: string): void {
  const file = new URL(req.url ?? '/', 'http://page').pathname.replace(/\/$/, '/index.html');
  readFile(path.join(folder, path.normalize(file))).then(
    (content) =>
      res.writeHead(200, { 'Content-Type': TYPES[path.extname(file)] ?? 'text/plain' }).end(content),
    () => res.writeHead(404).end(),
  );
}
