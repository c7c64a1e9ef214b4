/* The yardstick of bench/uploads.js: the same busboy, its files straight to disk, and nothing else. */
import { randomUUID } from 'node:crypto';
import { createWriteStream, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import busboy from 'busboy';

const folder = process.env.STORAGE_DIR;
mkdirSync(folder, { recursive: true });

createServer((req, res) => {
  const parser = busboy({ headers: req.headers });
  const files = [];
  parser.on('field', () => {});
  parser.on('file', (_name, part) => {
    files.push(pipeline(part, createWriteStream(path.join(folder, randomUUID()))));
  });
  parser.on('close', () => Promise.all(files).then(() => res.end('{}')));
  req.pipe(parser);
}).listen(process.env.PORT, '127.0.0.1', () => console.log('ready'));
