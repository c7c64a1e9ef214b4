import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  ACCEPTED_EXTENSIONS,
  type DocumentCheck,
  extensionOf,
  isAcceptedDocument,
} from '../../../src/documents/document-types.ts';
import { ReceivedFile } from '../../../src/documents/quarantine.ts';
import { CONTENT } from '../../support/documents.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'document-types-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function accepts(
  clientName: string,
  bytes: Buffer,
  check: DocumentCheck = 'signature',
): Promise<boolean> {
  const filePath = path.join(folder, 'upload');
  await writeFile(filePath, bytes);
  return isAcceptedDocument(new ReceivedFile(filePath, clientName, bytes.length, false), check);
}

test('the accepted extensions are those of the contract', () => {
  expect(ACCEPTED_EXTENSIONS).toEqual([
    'pdf',
    'jpg',
    'jpeg',
    'png',
    'webp',
    'heic',
    'tif',
    'tiff',
    'doc',
    'docx',
  ]);
});

test.each([
  ['a.pdf', 'pdf'],
  ['a.PDF', 'pdf'],
  ['a.b.Docx', 'docx'],
  ['a', ''],
  ['a.', ''],
  ['.pdf', ''],
  ['pdf', ''],
  ['', ''],
])('the extension of "%s" is "%s"', (name, extension) => expect(extensionOf(name)).toBe(extension));

test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
  'a property that every object has is not an extension: %s',
  async (name) => expect(await accepts(`license.${name}`, CONTENT.pdf)).toBe(false),
);

test('an extension in capital letters is accepted', async () => {
  expect(await accepts('LICENSE.PDF', CONTENT.pdf, 'strict')).toBe(true);
  expect(await accepts('Photo.JpEg', CONTENT.jpeg, 'strict')).toBe(true);
});

test('content without a known signature is accepted by the check "signature" and refused by "strict"', async () => {
  for (const extension of ACCEPTED_EXTENSIONS) {
    expect(await accepts(`license.${extension}`, CONTENT.plain, 'signature')).toBe(true);
    expect(await accepts(`license.${extension}`, CONTENT.plain, 'strict')).toBe(false);
  }
});

test('a known signature that does not fit the extension is refused by both checks', async () => {
  for (const check of ['signature', 'strict'] as const) {
    for (const bytes of [CONTENT.png, CONTENT.zip, CONTENT.gzip, CONTENT.elf, CONTENT.exe, CONTENT.gif]) {
      expect(await accepts('license.pdf', bytes, check)).toBe(false);
    }
  }
});

test.each([
  '#!/usr/bin/env python\n',
  '\ufeff<!doctype html>',
  '  \r\n<HTML><body>',
  '<svg xmlns="http://www.w3.org/2000/svg">',
  '<script>alert(1)</script>',
  '<?php echo 1;',
  '<?xml version="1.0"?><svg/>',
])('what a shell or a browser would run is refused: %j', async (text) => {
  expect(await accepts('license.pdf', Buffer.from(text))).toBe(false);
  expect(await accepts('license.pdf', Buffer.from(`\ufeff${text}`, 'utf16le'))).toBe(false);
});
