import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';

/** A file that a client sends. */
export interface TestDocument {
  name: string;
  bytes: Buffer;
}

/** A unique PDF. */
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
 * Puts a PDF of this size into the storage of an app. It is not uploaded, because the app could take a busy test for a sender
 * who stalls.
 * @returns the path of its URL
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

const uint32le = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) {
    bytes.writeUInt32LE(value, 4 * index);
  }
  return bytes;
};
const uint16le = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) {
    bytes.writeUInt16LE(value, 2 * index);
  }
  return bytes;
};

/** A ZIP archive (APPNOTE 6.3) of deflated entries, in this order. */
function zipOf(entries: Record<string, string>): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [entryName, content] of Object.entries(entries)) {
    const name = Buffer.from(entryName);
    const data = deflateRawSync(content);
    // Version 2.0, no flags, deflated, no time; then checksum, sizes and lengths.
    const common = Buffer.concat([
      uint16le(20, 0, 8, 0, 0x21),
      uint32le(crc32(content), data.length, content.length),
      uint16le(name.length, 0),
    ]);
    const file = Buffer.concat([fromHex('504b0304'), common, name, data]);
    const tail = Buffer.concat([uint16le(0, 0, 0), uint32le(0, offset)]);
    local.push(file);
    central.push(Buffer.concat([fromHex('504b0102'), uint16le(20), common, tail, name]));
    offset += file.length;
  }
  const directory = Buffer.concat(central);
  const count = central.length;
  const end = [uint16le(0, 0, count, count), uint32le(directory.length, offset), uint16le(0)];
  return Buffer.concat([...local, directory, fromHex('504b0506'), ...end]);
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const OPEN_XML = 'http://schemas.openxmlformats.org';
const WORD_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
/** The parts of a document of one word (ECMA-376). */
const WORD_PARTS = {
  '[Content_Types].xml': `${XML}<Types xmlns="${OPEN_XML}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="${WORD_TYPE}"/></Types>`,
  '_rels/.rels': `${XML}<Relationships xmlns="${OPEN_XML}/package/2006/relationships"><Relationship Id="r" Type="${OPEN_XML}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
  'word/document.xml': `${XML}<w:document xmlns:w="${OPEN_XML}/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>Licence</w:t></w:r></w:p></w:body></w:document>`,
};

/** A PDF of one empty page, with its table of objects (ISO 32000-1, 7.5). */
function pdfPage(): Buffer {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>',
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj${object}endobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 4\n0000000000 65535 f \n${offsets.join('')}`;
  return Buffer.from(`${text}${table}trailer<</Size 4/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`);
}

/** A TIFF of one black pixel (TIFF 6.0, section 3). */
function tiffPixel(): Buffer {
  const SHORT = 3;
  const LONG = 4;
  const DATA_OFFSET = 8 + 2 + 9 * 12 + 4;
  const fields: [tag: number, type: number, value: number][] = [
    [256, SHORT, 1],
    [257, SHORT, 1],
    [258, SHORT, 1],
    [259, SHORT, 1],
    [262, SHORT, 1],
    [273, LONG, DATA_OFFSET],
    [277, SHORT, 1],
    [278, SHORT, 1],
    [279, LONG, 1],
  ];
  const entries = fields.map(([tag, type, value]) =>
    Buffer.concat([uint16le(tag, type), uint32le(1, value)]),
  );
  return Buffer.concat([
    fromHex('49492a00 08000000'),
    uint16le(fields.length),
    ...entries,
    uint32le(0),
    Buffer.alloc(2),
  ]);
}

/** A compound file with the one stream that Word's documents have ([MS-CFB] 2.2, 2.6; [MS-DOC] 2.1.1). */
function wordBinary(): Buffer {
  const [END, FREE, FAT] = [0xfffffffe, 0xffffffff, 0xfffffffd];
  const header = Buffer.alloc(512, 0xff);
  Buffer.concat([
    fromHex('d0cf11e0a1b11ae1'),
    Buffer.alloc(16),
    uint16le(0x3e, 3, 0xfffe, 9, 6),
    Buffer.alloc(6),
    // One sector of the allocation table, the directory in sector 1, no small streams.
    uint32le(0, 1, 1, 0, 4096, END, 0, END, 0, 0),
  ]).copy(header);
  const entry = (name: string, type: number, child: number, start: number, sizeBytes: number) => {
    const bytes = Buffer.alloc(128);
    bytes.write(name, 'utf16le');
    bytes.writeUInt16LE(2 * name.length + 2, 64);
    bytes[66] = type;
    bytes[67] = 1;
    uint32le(FREE, FREE, child).copy(bytes, 68);
    uint32le(start, sizeBytes).copy(bytes, 116);
    return bytes;
  };
  const directory = [
    entry('Root Entry', 5, 1, END, 0),
    entry('WordDocument', 2, FREE, 2, 4096),
    Buffer.alloc(256),
  ];
  const table = uint32le(FAT, END, 3, 4, 5, 6, 7, 8, 9, END, ...Array<number>(118).fill(FREE));
  const stream = Buffer.alloc(4096);
  stream.writeUInt16LE(0xa5ec);
  return Buffer.concat([header, table, ...directory, stream]);
}

/** A box of the ISO base media file format. */
const box = (type: string, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat([Buffer.from(type), ...content]);
  return Buffer.concat([uint32(body.length + 4), body]);
};
const VERSION_0 = Buffer.alloc(4);

const png = Buffer.concat([
  fromHex('89504e470d0a1a0a'),
  pngChunk('IHDR', fromHex('00000001 00000001 08 00 00 00 00')),
  pngChunk('IDAT', fromHex('789c6360000000020001 48afa471')),
  pngChunk('IEND', Buffer.alloc(0)),
]);
const jpeg = Buffer.from(
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
  'base64',
);
const { '[Content_Types].xml': contentTypes, ...otherParts } = WORD_PARTS;

/** The smallest files of each type, and of types that are not accepted. */
export const CONTENT = {
  pdf: pdfPage(),
  jpeg,
  png,
  tiff: tiffPixel(),
  webp: Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64'),
  heic: Buffer.concat([
    box('ftyp', Buffer.from('heic'), Buffer.alloc(4), Buffer.from('mif1heic')),
    box(
      'meta',
      VERSION_0,
      box('hdlr', VERSION_0, Buffer.alloc(4), Buffer.from('pict'), Buffer.alloc(13)),
      box('pitm', VERSION_0, fromHex('0001')),
    ),
    box('mdat', Buffer.alloc(16)),
  ]),
  doc: wordBinary(),
  docx: zipOf(WORD_PARTS),
  /** From programs that write the content types last. */
  docxOtherOrder: zipOf({ ...otherParts, '[Content_Types].xml': contentTypes }),
  zip: zipOf({ 'readme.txt': 'hello' }),
  gzip: fromHex('1f8b080000000000000301000000ffff'),
  elf: Buffer.concat([fromHex('7f454c46020101'), Buffer.alloc(57)]),
  exe: Buffer.concat([Buffer.from('MZ'), Buffer.alloc(62)]),
  gif: Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(20)]),
  shellScript: Buffer.from('#!/bin/sh\nrm -rf /\n'),
  phpScript: Buffer.from('<?php system($_GET["c"]);'),
  html: Buffer.from('<!DOCTYPE html><script>alert(1)</script>'),
  svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
  /** The test file for virus scanners (https://www.eicar.org). In two pieces, so that no scanner finds it here. */
  eicar: Buffer.from(`X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-${'STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'}`),
  /** Content without a known signature. */
  plain: Buffer.from('These are the minutes of the examination board.\n'),
} as const satisfies Record<string, Buffer>;
