import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { type Door, openLate } from '../../src/http/late-door.ts';
import { eventually } from '../support/eventually.ts';
import { listenOnFreePort } from '../support/listen.ts';

const servers: Server[] = [];
let late: Door;
/** What has happened to the door behind the late one. */
let happened: string[];
/** What was told of it. */
let failures: unknown[];

/** Serves a late door that takes a moment to open. */
async function serve(open: () => Promise<void>): Promise<string> {
  const opening = async (): Promise<Door> => {
    happened.push('opening');
    await open();
    happened.push('opened');
    return {
      router: (_req, res) => {
        happened.push('in');
        res.send('in');
      },
      stop: async () => void happened.push('stopped'),
    };
  };
  const app = express();
  const server = createServer(app);
  servers.push(server);
  const port = await listenOnFreePort(server);
  // The last of all: it is opened half a second from here, which a machine that stalls may take for anything else.
  late = openLate(opening, (error) => failures.push(error));
  app.use(late.router);
  app.use(((_error, _req, res, _next) => void res.status(500).send('failed')) as express.ErrorRequestHandler);
  return `http://127.0.0.1:${port}`;
}

/** What can be waited for until somebody lets it be. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

const visit = async (url: string) => (await fetch(url)).text();

beforeEach(() => {
  happened = [];
  failures = [];
});

afterEach(async () => {
  await late.stop();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

test('is opened once, for all who come first, and closed', async () => {
  const url = await serve(() => sleep(100));
  expect(happened).toEqual([]);
  expect(await Promise.all([visit(url), visit(url), visit(url)])).toEqual(['in', 'in', 'in']);
  expect(await visit(url)).toBe('in');
  await late.stop();
  expect(happened).toEqual(['opening', 'opened', 'in', 'in', 'in', 'in', 'stopped']);
});

test('is opened by itself', async () => {
  await serve(async () => {});
  await eventually(async () => expect(happened).toEqual(['opening', 'opened']));
});

test('is not opened any more by a stop, which waits for one that is opening', async () => {
  await serve(async () => {});
  await late.stop();
  await sleep(700);
  expect(happened).toEqual([]);

  const { opened, open } = gate();
  const url = await serve(() => opened);
  const visiting = visit(url);
  await eventually(async () => expect(happened).toEqual(['opening']));
  const stopping = late.stop();
  await sleep(100);
  expect(happened).toEqual(['opening']);
  open();
  await stopping;
  expect(await visiting).toBe('in');
  expect(happened.filter((what) => what !== 'in')).toEqual(['opening', 'opened', 'stopped']);
});

test('tells once why it cannot be opened, and refuses who comes', async () => {
  const reason = new Error('no room for another file');
  const url = await serve(() => Promise.reject(reason));
  expect(await Promise.all([visit(url), visit(url)])).toEqual(['failed', 'failed']);
  await sleep(700);
  expect(failures).toEqual([reason]);
  expect(happened).toEqual(['opening']);
});

test('does not let in who has gone while it was opened', async () => {
  const { opened, open } = gate();
  const url = await serve(() => opened);
  const [connecting] = servers.map((server) => once(server, 'connection'));
  const leaving = new AbortController();
  const visiting = fetch(url, { signal: leaving.signal });
  await eventually(async () => expect(happened).toEqual(['opening']));
  const [connection] = (await connecting) as [Socket];
  leaving.abort();
  await expect(visiting).rejects.toThrow();
  await eventually(async () => expect(connection.closed).toBe(true));
  open();
  await eventually(async () => expect(happened).toEqual(['opening', 'opened']));
  expect(await visit(url)).toBe('in');
  expect(happened).toEqual(['opening', 'opened', 'in']);
});
