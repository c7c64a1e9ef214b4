/* The yardstick of bench/uploads.js: the same busboy, its files straight to disk, and nothing else. */
import { createServer } from 'node:http';
import { listen } from './listen.js';
import { receiveToDisk } from './receive-to-disk.js';

await listen(createServer((req, res) => receiveToDisk(req).then(() => res.end('{}'))));
