import { createServer } from 'node:http';
import express from 'express';
import { isFromTrustedProxy } from '../../../src/patches/trusted-proxy.ts';
import { listenOnFreePort } from '../../support/listen.ts';

test.each([
  ['loopback', true],
  ['192.0.2.1', false],
  [false, false],
])('with "trust proxy" %s, a sender on loopback is trusted: %s', async (trustProxy, isTrusted) => {
  const app = express();
  app.set('trust proxy', trustProxy);
  app.use((req, res) => res.json(isFromTrustedProxy(req)));
  const server = createServer(app);
  const response = await fetch(`http://127.0.0.1:${await listenOnFreePort(server)}`);
  expect(await response.json()).toBe(isTrusted);
  server.close();
  server.closeAllConnections();
});
