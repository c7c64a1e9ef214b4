import { once } from 'node:events';
import type { Readable } from 'node:stream';
import busboy from 'busboy';
import { onFileBytes } from '../../../src/patches/busboy-file-bytes.ts';

test('the bytes of a file are counted before anybody reads them, and those of texts are not', async () => {
  const form = busboy({ headers: { 'content-type': 'multipart/form-data; boundary=x' } });
  let counted = 0;
  let unread: Readable | undefined;
  onFileBytes(form, (bytes) => {
    counted += bytes;
  });
  form.on('file', (_name, file) => {
    unread = file;
  });
  form.on('field', () => {});
  const parts = [
    '--x\r\nContent-Disposition: form-data; name="text"\r\n\r\nhello\r\n',
    '--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n',
    `${'x'.repeat(1000)}\r\n--x--\r\n`,
  ];
  form.end(parts.join(''));
  expect(counted).toBe(1000);
  unread?.resume();
  await once(form, 'close');
  expect(counted).toBe(1000);
});
