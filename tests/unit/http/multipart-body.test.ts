import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { Readable } from 'node:stream';
import express, { type Request } from 'express';
import { MultipartBody } from '../../../src/api/http/bodies/multipart-body.ts';
import { beginRecord } from '../../../src/api/http/request-record.ts';
import { capacityLimits, SharedCapacity } from '../../../src/system/shared-capacity.ts';
import { eventually } from '../../support/eventually.ts';
import { listenOnFreePort } from '../../support/listen.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const STALL_MILLIS = 30_000;
const LIMITS = {
  maxBodyBytes: 10_000_000,
  maxTextBytes: 10_000_000,
  maxFileBytes: 1,
  maxFiles: 1,
  maxFields: 1,
  maxFieldBytes: 1,
  timeoutMillis: 600_000,
  stallMillis: STALL_MILLIS,
};

const UNBOUNDED = { places: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };
const capacity = new SharedCapacity({
  name: 'bodies',
  limits: capacityLimits(UNBOUNDED, UNBOUNDED),
  retryAfterSeconds: 1,
});

const take = () => capacity.take('192.0.2.1', 0);

const HEAD = Buffer.from('--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n');

/** Sends the beginning of a body, and nothing more: that of a file. */
async function openBody(sentBytes: number, receive: (content: Readable) => void) {
  const clock = new ManualClock();
  const app = express();
  const opened = new Promise<{ req: Request; body: MultipartBody; read: Promise<unknown> }>((resolve) => {
    app.use(beginRecord(clock), (req) => {
      const body = new MultipartBody(req, { held: take(), memory: take() }, LIMITS);
      const receiver = { text: () => {}, file: (_name: string, content: Readable) => receive(content) };
      resolve({ req, body, read: body.read(receiver).catch((error: Error) => error.message) });
    });
  });
  const server = createServer(app);
  const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
  const sender = request({ port: await listenOnFreePort(server), method: 'POST', headers });
  sender.on('error', () => {});
  sender.write(Buffer.concat([HEAD, Buffer.alloc(sentBytes - HEAD.length)]));
  const close = async () => {
    sender.destroy();
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { clock, ...(await opened), close };
}

test('a sender who waits for our disk has not stalled', async () => {
  const { clock, req, read, close } = await openBody(5_000_000, () => {});
  await eventually(() => expect(req.isPaused()).toBe(true));
  await clock.advance(6 * STALL_MILLIS);
  expect(await Promise.race([read, 'still read'])).toBe('still read');
  await close();
});

test('no call of the clock is left when a body has ended', async () => {
  const { clock, close } = await openBody(5_000, (content) => content.resume());
  await close();
  await eventually(() => expect(clock.pending).toBe(0));
});
