import { createServer } from 'node:http';
import { Writable } from 'node:stream';
import { jest } from '@jest/globals';
import express from 'express';
import { pino } from 'pino';
import { jsonErrorHandler } from '../../../src/api/http/error-responses.ts';
import { beginRecord } from '../../../src/api/http/request-record.ts';
import { systemClock } from '../../../src/system/clock.ts';
import { listenOnFreePort } from '../../support/listen.ts';
import { answerTo, openRequest } from '../../support/raw-http.ts';

// No route of the app fails after its first byte. If one did, Express must not write to standard error.
test('an error after the start of an answer cuts the connection and is only in the log', async () => {
  const lines: string[] = [];
  const write = (chunk: Buffer, _encoding: unknown, done: () => void) => {
    lines.push(chunk.toString());
    done();
  };
  const stderr = jest.spyOn(console, 'error').mockImplementation(() => {});
  const app = express().set('env', 'development');
  app.use(beginRecord(systemClock));
  app.get('/', (_req, res) => {
    res.write('half an answer');
    throw new Error('the cause');
  });
  app.use(jsonErrorHandler(pino(new Writable({ write }))));
  const server = createServer(app);
  const port = await listenOnFreePort(server);
  try {
    const req = openRequest(`http://127.0.0.1:${port}`, { path: '/' });
    req.end();
    await expect(answerTo(req)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        msg: 'unexpected error',
        err: expect.objectContaining({ message: 'the cause' }),
      }),
    ]);
    expect(stderr).not.toHaveBeenCalled();
  } finally {
    stderr.mockRestore();
    server.close();
  }
});
