import { randomUUID } from 'node:crypto';
import { createWriteStream, mkdirSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import busboy from 'busboy';

const folder = process.env.STORAGE_DIR;
mkdirSync(folder, { recursive: true });

/** Reads a form by bare busboy, its files straight to disk, and flushed; gives the fields, and the paths of the files. */
export function receiveToDisk(req) {
  const parser = busboy({ headers: req.headers });
  const fields = {};
  const files = [];
  parser.on('field', (name, value) => {
    fields[name] = value;
  });
  parser.on('file', (name, part) => {
    fields[name] = path.join(folder, randomUUID());
    files.push(pipeline(part, createWriteStream(fields[name], { flush: true })));
  });
  return new Promise((resolve, reject) => {
    parser.on('error', reject);
    parser.on('close', () => Promise.all(files).then(() => resolve(fields), reject));
    req.pipe(parser);
  });
}
