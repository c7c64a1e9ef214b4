import { createServer } from 'node:http';
import { closeAfterResponse } from '../../../src/patches/close-after-response.ts';
import { listenOnFreePort } from '../../support/listen.ts';
import { openSocket, readToEnd } from '../../support/raw-socket.ts';

test('a response that shall close its connection says so and closes it', async () => {
  const server = createServer((_req, res) => {
    closeAfterResponse(res);
    res.end('done');
  });
  const socket = openSocket(`http://127.0.0.1:${await listenOnFreePort(server)}`);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n');
  expect(await readToEnd(socket)).toContain('\r\nConnection: close\r\n');
  socket.destroy();
  server.close();
});
