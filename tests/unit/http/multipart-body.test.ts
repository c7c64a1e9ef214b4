import { once } from 'node:events';
import { createServer, request } from 'node:http';
import express from 'express';
import { type MultipartBody, openMultipartBody } from '../../../src/api/http/bodies/multipart-body.ts';
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

/** Sends the beginning of a body, and nothing more. */
async function openBody(sentBytes: number) {
  const clock = new ManualClock();
  const app = express();
  const opened = new Promise<MultipartBody>((resolve) => {
    app.use(beginRecord(clock), (req) =>
      resolve(openMultipartBody(req, { held: take(), memory: take() }, LIMITS)),
    );
  });
  const server = createServer(app);
  const sender = request({ port: await listenOnFreePort(server), method: 'POST' });
  sender.on('error', () => {});
  sender.write(Buffer.alloc(sentBytes));
  const close = async () => {
    sender.destroy();
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { clock, body: await opened, close };
}

test('a sender who waits for our disk has not stalled', async () => {
  const { clock, body, close } = await openBody(5_000_000);
  await eventually(() => expect(body.writableNeedDrain).toBe(true));
  await clock.advance(6 * STALL_MILLIS);
  expect(body.errored).toBeNull();
  await close();
});

test('a sender who sends nothing more has stalled', async () => {
  const { clock, body, close } = await openBody(5_000);
  body.resume();
  await eventually(() => expect(body.sizeBytes).toBe(5_000));
  await clock.advance(STALL_MILLIS);
  expect(body.errored).toBeNull();
  await clock.advance(STALL_MILLIS);
  expect(body.errored?.message).toBe('Request Timeout');
  await close();
});

test('no call of the clock is left when a body has ended', async () => {
  const { clock, close } = await openBody(5_000);
  await close();
  await eventually(() => expect(clock.pending).toBe(0));
});
