import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Loaded before a program: connections of its servers may be idle for a tenth of the time that it gives them, so that
 * nobody has to wait so long. A server that gives them any time still does.
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
