import { createServer, type RequestListener, type Server } from 'node:http';
import { useWorkshop } from '../support/gateway-process.ts';
import { sendJson } from '../support/http.ts';
import { listenOnFreePort } from '../support/listen.ts';
import { figuresOf } from './support/process-figures.ts';

// A collector may do what it wants: no request fails or waits for it, and a stop ends in time.
const workshop = useWorkshop();
let collector: Server | undefined;
afterEach(() => {
  collector?.closeAllConnections();
  collector?.close();
});

/** More spans than may wait: each request has two, its own and that of its look-up. */
const REQUESTS = 1500;
const AT_A_TIME = 20;

const ANSWERS: [string, RequestListener][] = [
  ['never answers', () => {}],
  ['answers byte by byte, without an end', (_req, res) => void setInterval(() => res.write('.'), 50).unref()],
  ['asks to try again at once', (_req, res) => void res.writeHead(503, { 'Retry-After': '0' }).end()],
  ['asks to try again in an hour', (_req, res) => void res.writeHead(429, { 'Retry-After': '3600' }).end()],
  ['sends to another address', (_req, res) => void res.writeHead(307, { Location: '/again' }).end()],
  ['answers with 10 MB', (_req, res) => void res.end(Buffer.alloc(10_000_000, '['))],
  ['answers with no JSON', (_req, res) => void res.end('<html>')],
  [
    'switches to another protocol',
    (req) =>
      void req.socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
  ],
  ['cuts the connection', (req) => void req.socket.destroy()],
];

test.each(ANSWERS)('a collector that %s harms nobody', async (_what, answer) => {
  collector = createServer(answer);
  const port = await listenOnFreePort(collector);
  const gateway = workshop.start({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_BSP_SCHEDULE_DELAY: '10',
    STOP_GRACE_SECONDS: '1',
    LOG_LEVEL: 'warn',
    RATE_LIMIT: 'off',
  });
  const url = await gateway.url();
  const headers = { Authorization: `Bearer 1|${'x'.repeat(40)}` };
  const statuses = new Set<number>();
  const ask = async () => {
    const { status } = await sendJson(`${url}/api/v1/auth/logout`, {}, headers);
    statuses.add(status);
  };
  const before = figuresOf(gateway.pid);
  for (let sent = 0; sent < REQUESTS; sent += AT_A_TIME) {
    await Promise.all(Array.from({ length: AT_A_TIME }, ask));
  }
  expect([...statuses]).toEqual([401]);
  const after = figuresOf(gateway.pid);
  expect(after.memoryMib).toBeLessThan(before.memoryMib + 100);
  // Connections to the collector are open only while spans are sent.
  expect(after.descriptors).toBeLessThan(before.descriptors + AT_A_TIME + 40);
  gateway.signal('SIGTERM');
  // A stop that takes more than 4 s beyond the grace ends with 1.
  expect(await gateway.exitCode()).toBe(0);
  expect(gateway.stdout.split('\n').filter((line) => line.includes('traces ')).length).toBeLessThan(2);
});
