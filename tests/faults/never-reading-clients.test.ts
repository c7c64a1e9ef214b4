import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { aPdfOf } from '../support/documents.ts';
import { eventually } from '../support/eventually.ts';
import { registeredDoctor } from '../support/expectations.ts';
import { useWorkshop } from '../support/gateway-process.ts';
import { aDoctor } from '../support/people.ts';
import { restApi } from '../support/rest-api.ts';
import { figuresOf } from './support/process-figures.ts';
import { visit } from './support/visit.ts';

const PROGRAM = path.resolve('tests/faults/support/never-reading-clients.mjs');
const PRELOAD = pathToFileURL(path.resolve('tests/faults/support/short-deadlines-preload.mjs')).href;
const workshop = useWorkshop();
const clients: ChildProcess[] = [];
afterAll(() => {
  for (const client of clients) {
    client.kill('SIGKILL');
  }
});

/** Clients that send these requests and read nothing. */
async function neverRead(url: string, count: number, requests: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const bytes = Buffer.from(requests).toString('base64');
  const client = spawn(process.execPath, [PROGRAM, hostname, port, String(count), bytes]);
  clients.push(client);
  await once(client.stdout, 'data');
}

/** More than the system keeps for a connection at both of its ends: some three megabytes. */
const LARGE_BYTES = 10_000_000;
const DOCUMENT_READERS = 200;
const TOKENS = 1_000;
const TOKEN_READERS = 4;
/** As many as may wait on one connection, and the one that is answered. */
const PIPELINED = 33;
/** Of two gigabytes that are asked for. */
const MOST_MIB = 300;
const SLOWEST_MILLIS = 8_000;
/** Far more than twice their time: Node looks twice before it takes one for idle that something is written to. */
const PATIENCE_MILLIS = 30_000;

/** Gives an account many more tokens like the one that it has. */
async function addTokens(accountId: string): Promise<void> {
  const { tokens } = workshop.database;
  const token = await tokens.findOne({ accountId });
  if (!token) {
    throw new Error('no token');
  }
  const more = Array.from({ length: TOKENS }, (_, i) => ({
    ...token,
    _id: `${token._id}-${i}`,
    secretHash: `${i}`,
  }));
  await tokens.insertMany(more);
}

function askForTokens(token: string): string {
  const body = JSON.stringify({
    query: '{ myTokens { id name abilities createdAt lastUsedAt expiresAt current } }',
  });
  const headers = [
    'Host: a',
    'Content-Type: application/json',
    `Authorization: Bearer ${token}`,
    `Content-Length: ${body.length}`,
  ];
  return `POST /graphql HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
}

test('clients that never read an answer cost little memory, delay nobody, and lose their connections', async () => {
  const gateway = workshop.start({
    NODE_OPTIONS: `--import ${PRELOAD}`,
    RATE_LIMIT: 'off',
  });
  const url = await gateway.url();
  const doctor = aDoctor({ licenseFile: aPdfOf(LARGE_BYTES) });
  const { account, profile, token } = registeredDoctor(await restApi(url).registerDoctor(doctor));
  await addTokens(account.id);
  // For connections to the database, and for what is only loaded when it is first needed.
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(Array.from({ length: 6 }, () => visit(url)));
  }
  const before = figuresOf(gateway.pid);
  const { pathname } = new URL(profile.licenseFileUrl);
  await neverRead(url, DOCUMENT_READERS, `GET ${pathname} HTTP/1.1\r\nHost: a\r\n\r\n`);
  await neverRead(url, TOKEN_READERS, askForTokens(token).repeat(PIPELINED));
  const connections = DOCUMENT_READERS + TOKEN_READERS;
  await eventually(() =>
    expect(figuresOf(gateway.pid).descriptors).toBeGreaterThan(before.descriptors + connections),
  );
  const startedAt = performance.now();
  let mostMib = 0;
  let slowestMillis = 0;
  await eventually(async () => {
    slowestMillis = Math.max(slowestMillis, await visit(url));
    await wait(200);
    const { memoryMib, descriptors } = figuresOf(gateway.pid);
    mostMib = Math.max(mostMib, memoryMib - before.memoryMib);
    expect(descriptors).toBeLessThan(before.descriptors + TOKEN_READERS);
  }, PATIENCE_MILLIS);
  process.stdout.write(
    `${connections} clients that never read: ${mostMib.toFixed(0)} MiB, slowest visit ${slowestMillis.toFixed(0)} ms, all cut after ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`,
  );
  expect(slowestMillis).toBeLessThan(SLOWEST_MILLIS);
  expect(mostMib).toBeLessThan(MOST_MIB);
}, 60_000);
