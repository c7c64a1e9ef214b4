import { once } from 'node:events';
import { createServer, get, type RequestListener, type Server } from 'node:http';
import { collectorAgent } from '../../../src/monitoring/tracing.ts';
import { listenOnFreePort } from '../../support/listen.ts';

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** The end of a request to a server, over the connections of the exporter. */
async function endOfRequest(answer: RequestListener, maxMillis: number): Promise<unknown> {
  server = createServer(answer);
  const port = await listenOnFreePort(server);
  const req = get({ port, host: '127.0.0.1', agent: collectorAgent(maxMillis)('http:') });
  const failed = once(req, 'error').then(([error]: unknown[]) => error);
  const answered = once(req, 'response').then(async ([res]) => {
    res.resume();
    return Promise.race([
      once(res, 'error').then(([error]) => error),
      once(res, 'end').then(() => 'answered'),
    ]);
  });
  answered.catch(() => {});
  return Promise.race([failed, answered]);
}

test('a short answer arrives', async () => {
  expect(await endOfRequest((_req, res) => void res.end('{}'), 600_000)).toBe('answered');
});

test('an answer that does not end is cut when it has taken too long', async () => {
  const drip: RequestListener = (_req, res) => {
    const timer = setInterval(() => res.write('.'), 1);
    res.on('close', () => clearInterval(timer));
  };
  expect(await endOfRequest(drip, 100)).toBeInstanceOf(Error);
});

test('a connection without an answer is cut', async () => {
  expect(await endOfRequest(() => {}, 100)).toBeInstanceOf(Error);
});

test('a collector that switches to another protocol has not answered', async () => {
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n';
  expect(await endOfRequest((req) => void req.socket.write(upgrade), 600_000)).toBeInstanceOf(Error);
});

test('an answer that is too large is cut, however fast it comes', async () => {
  const flood: RequestListener = (_req, res) => void res.end(Buffer.alloc(10_000_000));
  expect(await endOfRequest(flood, 600_000)).toBeInstanceOf(Error);
});
