import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Loaded before a program: connections of its servers may be idle for only a tenth of the time that it sets, so that tests are
 * faster. A server without such a limit still has none.
 */
const DIVISOR = 10;

const { createServer } = http;
http.createServer = (...options) => {
  const server = createServer(...options);
  server.once('listening', () => {
    server.timeout /= DIVISOR;
  });
  return server;
};
syncBuiltinESMExports();
