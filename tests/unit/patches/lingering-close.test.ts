import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { closeLingering } from '../../../src/patches/lingering-close.ts';
import { listenOnFreePort } from '../../support/listen.ts';
import { openSocket } from '../../support/raw-socket.ts';

const HEAD = 'POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 10\r\n\r\n';

/** Sends the headers of a request to a server that answers at once. */
async function sendHead(server: Server): Promise<{ client: Socket; accepted: Socket }> {
  const port = await listenOnFreePort(server);
  const client = openSocket(`http://127.0.0.1:${port}`);
  const [accepted] = (await once(server, 'connection')) as [Socket];
  client.write(HEAD);
  return { client, accepted };
}

test('Node alone closes both sides of a connection before the request has come', async () => {
  const server = createServer((_req, res) => res.end());
  const { client, accepted } = await sendHead(server);
  await once(accepted, 'close');
  client.destroy();
  server.close();
});

test('a connection that closes lingering takes the rest of the request after the response', async () => {
  let response: ServerResponse | undefined;
  const server = createServer((_req, res) => {
    response = res;
    res.end();
  });
  server.on(
    'connection',
    closeLingering(() => response, 60_000),
  );
  const { client, accepted } = await sendHead(server);
  await once(client.resume(), 'end');
  expect(accepted.destroyed).toBe(false);
  const closed = once(accepted, 'close');
  client.write('x'.repeat(10));
  await closed;
  expect(accepted.errored).toBeNull();
  client.destroy();
  server.close();
});
