import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import express from 'express';
import { beginRecord } from '../../src/http/requests/request-record.ts';
import { type MultipartBody, openMultipartBody } from '../../src/http/uploads/multipart-body.ts';
import { UploadRoom } from '../../src/http/uploads/upload-room.ts';
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

/**
 * What becomes of a body of which so much is sent at once, and then nothing.
 * @param over is waited for, once it has come in
 */
async function bodyAfter(
  sentBytes: number,
  over: (body: MultipartBody) => Promise<unknown>,
): Promise<MultipartBody> {
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
  const body = await opened;
  await over(body);
  sender.destroy();
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
  return body;
}

test('a sender who is kept waiting by our own disk does not stall', async () => {
  const body = await bodyAfter(5_000_000, () => wait(6 * STALL_MILLIS));
  expect(body.errored?.message).not.toBe('Request Timeout');
});

test('a sender who sends nothing more does', async () => {
  const body = await bodyAfter(
    5_000,
    (opened) => new Promise((resolve) => opened.resume().once('close', resolve)),
  );
  expect(body.errored?.message).toBe('Request Timeout');
});
