/* A collector of OpenTelemetry that reads what it gets, and keeps nothing. */
import { createServer } from 'node:http';
import { listen } from './listen.js';

await listen(
  createServer((req, res) => {
    req.resume().on('end', () => res.setHeader('Content-Type', 'application/json').end('{}'));
  }),
);
