/*
 * Forms, one field a line:
 *
 *   name=Dr. Ada Example
 *   license_file=< license.pdf                    a file: its content is made up, as its extension says
 *   license_file=< license.pdf 10485761 bytes     and so large; 1024 bytes otherwise
 */
import { randomBytes } from 'node:crypto';

const FILE = /^< (\S+)(?: (\d+) bytes)?$/;
const USUAL_BYTES = '1024';

/**
 * Encodes a form (RFC 7578).
 * @param {string} body as a transcript spells it, without placeholders
 * @returns {{ contentType: string, bytes: Buffer }}
 */
export function encodeForm(body) {
  const boundary = `form-${randomBytes(16).toString('hex')}`;
  const parts = body.split('\n').flatMap((line) => {
    const name = line.slice(0, line.indexOf('='));
    const value = line.slice(name.length + 1);
    const [, fileName, sizeBytes = USUAL_BYTES] = FILE.exec(value) ?? [];
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"`;
    if (fileName === undefined) {
      return [Buffer.from(`${head}\r\n\r\n${value}\r\n`)];
    }
    const fileHead = `${head}; filename="${fileName}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
    return [Buffer.from(fileHead), contentOf(fileName, Number(sizeBytes)), Buffer.from('\r\n')];
  });
  const bytes = Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
  return { contentType: `multipart/form-data; boundary=${boundary}`, bytes };
}

function contentOf(fileName, sizeBytes) {
  const head = fileName.endsWith('.pdf') ? '%PDF-1.7\n' : 'These are the minutes of the meeting.\n';
  return Buffer.alloc(sizeBytes, ' ').fill(head, 0, head.length);
}
