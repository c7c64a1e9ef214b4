import { createServer } from 'node:http';
import helmet from 'helmet';
import { securityHeaders } from '../../../src/api/http/browsers.ts';
import { listenOnFreePort } from '../../support/listen.ts';

test.each([
  ['http://auth.example.org', false],
  ['https://auth.example.org', true],
])('with the BASE_URL %s, the headers of answers are those that helmet sets', async (baseUrl, isStrict) => {
  const ofHelmet = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: isStrict,
  });
  const ours = securityHeaders(baseUrl) as typeof ofHelmet;
  const sent: [string, unknown][][] = [];
  const server = createServer((req, res) => {
    const setHeaders = req.url === '/helmet' ? ofHelmet : ours;
    setHeaders(req, res, () => res.end());
    sent.push(Object.entries(res.getHeaders()));
  });
  const port = await listenOnFreePort(server);
  await fetch(`http://127.0.0.1:${port}/helmet`);
  await fetch(`http://127.0.0.1:${port}/ours`);
  server.close();
  server.closeAllConnections();
  const [expected = [], set] = sent;
  expect(set).toEqual([...expected, ['cache-control', 'no-store']]);
});
