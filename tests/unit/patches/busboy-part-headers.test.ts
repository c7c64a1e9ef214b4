import { once } from 'node:events';
import busboy from 'busboy';
import { onPartHeaders } from '../../../src/patches/busboy-part-headers.ts';

const FORM = [
  '--x',
  'Content-Disposition: form-data; name="text"',
  'Content-Type: text/plain; charset=utf-7',
  '',
  'hello',
  '--x',
  'Content-Disposition: form-data; name="file"; filename="a.pdf"',
  '',
  'bytes',
  '--x--',
  '',
].join('\r\n');

const parser = () => busboy({ headers: { 'content-type': 'multipart/form-data; boundary=x' } });

test('the headers of each part are known before busboy hands the part on', async () => {
  const form = parser();
  const seen: unknown[] = [];
  form.on('field', (name) => seen.push(name));
  form.on('file', (_name, file) => file.resume());
  onPartHeaders(form, (headers, isFile) => seen.push([headers['content-type'], isFile]));
  form.end(FORM);
  await once(form, 'close');
  expect(seen).toEqual([[['text/plain; charset=utf-7'], false], 'text', [undefined, true]]);
});

test('busboy itself does not report the charset of a text', async () => {
  const form = parser();
  let reported: object = {};
  form.on('field', (_name, _text, info) => {
    reported = info;
  });
  form.end(FORM);
  await once(form, 'close');
  expect(Object.keys(reported).sort()).toEqual(['encoding', 'mimeType', 'nameTruncated', 'valueTruncated']);
});
