import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import { type Door, openLate } from '../../src/http/late-door.ts';
import { eventually } from '../support/eventually.ts';

const servers: Server[] = [];
let late: Door;
/** What has happened to the door behind the late one. */
let happened: string[];

/** Serves a late door that takes a moment to open. */
async function serve(open: () => Promise<void>): Promise<string> {
  late = openLate(async () => {
    happened.push('opening');
    await open();
    happened.push('opened');
    return {
      router: (_req, res) => void res.send('in'),
      stop: async () => void happened.push('stopped'),
    };
  });
  const app = express().use(late.router);
  app.use(((_error, _req, res, _next) => void res.status(500).send('failed')) as express.ErrorRequestHandler);
  const server = createServer(app).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const visit = async (url: string) => (await fetch(url)).text();

beforeEach(() => {
  happened = [];
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
  expect(happened).toEqual(['opening', 'opened', 'stopped']);
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

  const url = await serve(() => sleep(100));
  const visiting = visit(url);
  await eventually(async () => expect(happened).toEqual(['opening']));
  await late.stop();
  expect(happened).toEqual(['opening', 'opened', 'stopped']);
  expect(await visiting).toBe('in');
});
