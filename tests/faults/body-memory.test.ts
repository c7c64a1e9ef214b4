import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { authenticated } from '../support/expectations.ts';
import { useWorkshop } from '../support/gateway-process.ts';
import { aPatient } from '../support/people.ts';
import { restApi } from '../support/rest-api.ts';
import { figuresOf } from './support/process-figures.ts';

const PROGRAM = path.resolve('tests/faults/support/never-reading-clients.mjs');
const workshop = useWorkshop();
const clients: ChildProcess[] = [];
afterAll(() => {
  for (const client of clients) {
    client.kill('SIGKILL');
  }
});

const SENDERS = 6_000;
const BODY_BYTES = 102_400;
/** The program gets them in one argument, which has at most 128 KiB in base64. */
const SENT_BYTES = 95_000;
/**
 * Of 540 MiB that are sent. 6,000 connections without a body take 170 MiB. Together with the bodies, 280 to 420 MiB were
 * measured, and 475 to 605 MiB without the limit on their memory.
 */
const MOST_MIB = 450;

/** Sends as many bodies as there are senders, all but for their ends. */
async function sendUnfinished(url: string, address: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const head = [
    'POST /api/v1/auth/login HTTP/1.1',
    'Host: a',
    `X-Forwarded-For: ${address}`,
    'Content-Type: application/json',
    `Content-Length: ${BODY_BYTES}`,
  ];
  const request = `${head.join('\r\n')}\r\n\r\n{${' '.repeat(SENT_BYTES)}`;
  const count = String(SENDERS);
  const args = [PROGRAM, hostname, port, count, Buffer.from(request).toString('base64')];
  const client = spawn(process.execPath, args);
  clients.push(client);
  await once(client.stdout, 'data');
}

test('6,000 unfinished bodies from one address take little memory, and its neighbour is served', async () => {
  const gateway = workshop.start({ TRUST_PROXY: 'loopback' });
  const url = await gateway.url();
  const before = figuresOf(gateway.pid).memoryMib;
  await sendUnfinished(url, '192.0.2.1');
  const neighbour = restApi(url, { 'X-Forwarded-For': '192.0.2.2' });
  authenticated(await neighbour.registerPatient(aPatient()));
  // Refused senders are cut a few seconds after their answer, all others at the deadline for bodies.
  await eventually(() => expect(figuresOf(gateway.pid).descriptors).toBeLessThan(SENDERS / 10), 60_000);
  const former = restApi(url, { 'X-Forwarded-For': '192.0.2.1' });
  await eventually(async () => authenticated(await former.registerPatient(aPatient())));
  const more = figuresOf(gateway.pid).peakMib - before;
  process.stderr.write(`${SENDERS} unfinished bodies: ${Math.round(more)} MiB more\n`);
  expect(more).toBeLessThan(MOST_MIB);
  expect(await gateway.stop()).toBe(0);
});
