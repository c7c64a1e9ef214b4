import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { jest } from '@jest/globals';
import express from 'express';
import { beginRecord } from '../../src/http/requests/request-record.ts';
import { type MultipartBody, openMultipartBody } from '../../src/http/uploads/multipart-body.ts';
import { UploadRoom } from '../../src/http/uploads/upload-room.ts';
import { eventually } from '../support/eventually.ts';
import { listenOnFreePort } from '../support/listen.ts';

const STALL_MILLIS = 100;
const LIMITS = {
  maxBodyBytes: 10_000_000,
  maxTextBytes: 1,
  maxFileBytes: 1,
  maxFiles: 1,
  maxFields: 1,
  maxFieldBytes: 1,
  timeoutMillis: 60_000,
  stallMillis: STALL_MILLIS,
};

const UNBOUNDED = { uploads: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };
const room = new UploadRoom({ all: UNBOUNDED, perAddress: UNBOUNDED });

beforeEach(() => {
  jest.useFakeTimers({
    doNotFake: [
      'Date',
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
    ],
  });
});
afterEach(() => {
  jest.useRealTimers();
});

/** Lets the time for a stall pass several times. */
async function stall(): Promise<void> {
  for (let times = 0; times < 6; times += 1) {
    jest.advanceTimersByTime(STALL_MILLIS);
    await new Promise(setImmediate);
  }
}

/**
 * Opens the body of a request whose sender sends so much at once, and then nothing.
 * @param use gets the body; the sender disconnects afterwards
 */
async function withBody(sentBytes: number, use: (body: MultipartBody) => Promise<void>): Promise<void> {
  const app = express();
  const opened = new Promise<MultipartBody>((resolve) => {
    app.use(beginRecord(), (req) =>
      resolve(openMultipartBody(req, { place: room.enter('sender', 0) }, LIMITS)),
    );
  });
  const server = createServer(app);
  const sender = request({ port: await listenOnFreePort(server), method: 'POST' });
  sender.on('error', () => {});
  sender.write(Buffer.alloc(sentBytes));
  await use(await opened);
  sender.destroy();
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}

test('a sender that waits for our disk does not count as stalled', async () => {
  await withBody(5_000_000, async (body) => {
    // Nobody reads the body, so its buffers fill.
    await eventually(() => expect(body.writableNeedDrain).toBe(true));
    await stall();
    expect(body.errored).toBeNull();
  });
});

test('a sender that sends nothing more gets 408', async () => {
  const sentBytes = 5_000;
  await withBody(sentBytes, async (body) => {
    body.resume();
    await eventually(() => expect(body.sizeBytes).toBe(sentBytes));
    await stall();
    expect(body.errored?.message).toBe('Request Timeout');
  });
});
