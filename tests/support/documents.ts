import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';

/** A file as a client would send it. */
export interface TestDocument {
  name: string;
  bytes: Buffer;
}

/** A PDF that no other one equals. */
export const aPdf = (name = 'document.pdf'): TestDocument => ({
  name,
  bytes: Buffer.from(`%PDF-1.7\n1 0 obj\n<<>>\nendobj\n% ${randomBytes(16).toString('hex')}\n%%EOF\n`),
});

/** A PDF of exactly so many bytes. */
export function aPdfOf(sizeBytes: number, name = 'document.pdf'): TestDocument {
  const { bytes } = aPdf();
  return { name, bytes: Buffer.concat([bytes, Buffer.alloc(sizeBytes - bytes.length, 0x20)]) };
}

/**
 * Puts a PDF of so many bytes where an app keeps its documents. It is not uploaded: a busy test would be taken for a sender
 * who stalls.
 * @returns where it is served, from the address of the app on
 */
export async function storePdf({ storageDir }: { storageDir: string }, sizeBytes: number): Promise<string> {
  const name = `${randomBytes(20).toString('hex')}.pdf`;
  await writeFile(path.join(storageDir, 'licenses', name), aPdfOf(sizeBytes).bytes);
  return `/storage/licenses/${name}`;
}

const fromHex = (hex: string): Buffer => Buffer.from(hex.replace(/\s/g, ''), 'hex');

const pngChunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type), data]);
  return Buffer.concat([uint32(data.length), body, uint32(crc32(body))]);
};
const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** A ZIP archive of one stored entry, as far as a signature reader looks. */
function zipOf(entryName: string, content: string): Buffer {
  const name = Buffer.from(entryName);
  const data = Buffer.from(content);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt32LE(crc32(data), 14);
  header.writeUInt32LE(data.length, 18);
  header.writeUInt32LE(data.length, 22);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, name, data, fromHex('504b0506'), Buffer.alloc(18)]);
}

const CONTENT_TYPES = `<?xml version="1.0"?><Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`;

const png = Buffer.concat([
  fromHex('89504e470d0a1a0a'),
  pngChunk('IHDR', fromHex('00000001 00000001 08 00 00 00 00')),
  pngChunk('IDAT', fromHex('789c6360000000020001 48afa471')),
  pngChunk('IEND', Buffer.alloc(0)),
]);
const jpeg = fromHex('ffd8ffe000104a46494600010100000100010000ffd9');
const tiff = fromHex('49492a0008000000 0100 0001 0300 01000000 01000000 00000000');

/** The beginnings of files by which their type is known; each long enough for a signature reader. */
export const CONTENT = {
  pdf: aPdf().bytes,
  jpeg,
  png,
  tiff,
  webp: Buffer.concat([Buffer.from('RIFF'), fromHex('1a000000'), Buffer.from('WEBPVP8L'), Buffer.alloc(18)]),
  heic: Buffer.concat([
    fromHex('00000018'),
    Buffer.from('ftypheic'),
    Buffer.alloc(4),
    Buffer.from('mif1heic'),
  ]),
  doc: Buffer.concat([fromHex('d0cf11e0a1b11ae1'), Buffer.alloc(504)]),
  docx: zipOf('[Content_Types].xml', CONTENT_TYPES),
  zip: zipOf('readme.txt', 'hello'),
  gzip: fromHex('1f8b080000000000000301000000ffff'),
  elf: Buffer.concat([fromHex('7f454c46020101'), Buffer.alloc(57)]),
  exe: Buffer.concat([Buffer.from('MZ'), Buffer.alloc(62)]),
  gif: Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(20)]),
  shellScript: Buffer.from('#!/bin/sh\nrm -rf /\n'),
  phpScript: Buffer.from('<?php system($_GET["c"]);'),
  html: Buffer.from('<!DOCTYPE html><script>alert(1)</script>'),
  svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
  /** No signature that anybody knows. */
  plain: Buffer.from('These are the minutes of the examination board.\n'),
} as const satisfies Record<string, Buffer>;
