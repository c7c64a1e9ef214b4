import { createServer } from 'node:http';
import helmet, { type HelmetOptions } from 'helmet';
import { helmetHeaders } from '../../../src/patches/helmet-headers.ts';
import { listenOnFreePort } from '../../support/listen.ts';

test.each<[string, HelmetOptions]>([
  ['no options', {}],
  ['a policy', { contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"] } } }],
  ['no Strict-Transport-Security', { strictTransportSecurity: false }],
])('with %s, the headers are those that helmet sets on a response', async (_case, options) => {
  const setHeaders = helmet(options);
  let sent: object = {};
  const server = createServer((req, res) =>
    setHeaders(req, res, () => {
      sent = { ...res.getHeaders() };
      res.end();
    }),
  );
  await fetch(`http://127.0.0.1:${await listenOnFreePort(server)}`);
  const known = [...helmetHeaders(options)].map(([name, value]) => [name.toLowerCase(), value]);
  expect(Object.fromEntries(known)).toEqual(sent);
  server.close();
  server.closeAllConnections();
});
