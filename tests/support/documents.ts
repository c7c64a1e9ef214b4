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

interface ZipOptions {
  /** As LibreOffice writes: the sizes of an entry follow it. */
  isStreamed?: boolean;
  isEncrypted?: boolean;
  /** The number of entries that the end of the directory states, in place of the true one. */
  count?: number;
}

/** A ZIP archive (APPNOTE 6.3) of deflated entries, in this order. */
export function zipOf(
  entries: [name: string, content: string | Buffer | { deflated: Buffer }][],
  { isStreamed = false, isEncrypted = false, count = entries.length }: ZipOptions = {},
): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const [entryName, content] of entries) {
    const name = Buffer.from(entryName);
    const isDeflated = typeof content === 'object' && 'deflated' in content;
    const data = isDeflated ? content.deflated : deflateRawSync(content);
    // Of what is deflated already, the sizes are false.
    const sizes = isDeflated
      ? uint32le(0, data.length, 9)
      : uint32le(crc32(content), data.length, content.length);
    // Version 2.0, flags, deflated, no time; then checksum, sizes and lengths.
    const start = uint16le(20, (isStreamed ? 8 : 0) + (isEncrypted ? 1 : 0), 8, 0, 0x21);
    const lengths = uint16le(name.length, 0);
    const descriptor = isStreamed ? [fromHex('504b0708'), sizes] : [];
    const localSizes = isStreamed ? Buffer.alloc(12) : sizes;
    const file = Buffer.concat([fromHex('504b0304'), start, localSizes, lengths, name, data, ...descriptor]);
    const tail = Buffer.concat([uint16le(0, 0, 0), uint32le(0, offset)]);
    local.push(file);
    central.push(Buffer.concat([fromHex('504b0102'), uint16le(20), start, sizes, lengths, tail, name]));
    offset += file.length;
  }
  const directory = Buffer.concat(central);
  const end = [uint16le(0, 0, count, count), uint32le(directory.length, offset), uint16le(0)];
  return Buffer.concat([...local, directory, fromHex('504b0506'), ...end]);
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const OPEN_XML = 'http://schemas.openxmlformats.org';
const WORD_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
const CONTENT_TYPES = '[Content_Types].xml';
/** The parts of a document of one word (ECMA-376). */
const WORD_PARTS = {
  [CONTENT_TYPES]: `${XML}<Types xmlns="${OPEN_XML}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="${WORD_TYPE}"/></Types>`,
  '_rels/.rels': `${XML}<Relationships xmlns="${OPEN_XML}/package/2006/relationships"><Relationship Id="r" Type="${OPEN_XML}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
  'word/document.xml': `${XML}<w:document xmlns:w="${OPEN_XML}/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>Licence</w:t></w:r></w:p></w:body></w:document>`,
};

const PDF_PAGE = [
  '<</Type/Catalog/Pages 2 0 R>>',
  '<</Type/Pages/Kids[3 0 R]/Count 1>>',
  '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>',
];

/** A PDF with its table of objects (ISO 32000-1, 7.5); of one empty page without any. */
export function pdfOf(objects = PDF_PAGE): Buffer {
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj${object}endobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
  return Buffer.from(
    `${text}${table}trailer<</Size ${size}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`,
  );
}

/**
 * A TIFF of black pixels, eight at most (TIFF 6.0, section 3).
 * @param next the offset of the next directory
 * @param count the number of values of the field 258
 */
export function tiffOf(width = 1, height = 1, { orientation = 1, next = 0, count = 1 } = {}): Buffer {
  const SHORT = 3;
  const LONG = 4;
  const DATA_OFFSET = 8 + 2 + 10 * 12 + 4;
  const fields: [tag: number, type: number, value: number, count?: number][] = [
    [256, LONG, width],
    [257, LONG, height],
    [258, SHORT, 1, count],
    [259, SHORT, 1],
    [262, SHORT, 1],
    [273, LONG, DATA_OFFSET],
    [274, SHORT, orientation],
    [277, SHORT, 1],
    [278, LONG, height],
    [279, LONG, 1],
  ];
  const entries = fields.map(([tag, type, value, values = 1]) =>
    Buffer.concat([uint16le(tag, type), uint32le(values, value)]),
  );
  return Buffer.concat([
    fromHex('49492a00 08000000'),
    uint16le(fields.length),
    ...entries,
    uint32le(next),
    Buffer.alloc(2),
  ]);
}

/** The streams and storages of a compound file: a storage has others in it. */
interface Storage {
  [name: string]: Storage | 'stream';
}

/**
 * A compound file ([MS-CFB] 2.2, 2.6). All streams have the same content.
 * @param root what its root has
 * @param change changes numbers of the header and the allocation table
 */
export function compoundOf(
  root: Storage,
  change: (header: Buffer, table: Buffer) => void = () => {},
): Buffer {
  const [END, FREE, FAT] = [0xfffffffe, 0xffffffff, 0xfffffffd];
  const entries: Buffer[] = [];
  /** Adds an entry, and what is in it. The entries of a storage are a chain of siblings. @returns the number of the entry */
  const add = (name: string, kind: Storage | 'stream', siblings: [string, Storage | 'stream'][]): number => {
    const bytes = Buffer.alloc(128);
    const number = entries.push(bytes) - 1;
    bytes.write(name, 'utf16le');
    bytes.writeUInt16LE(2 * name.length + 2, 64);
    bytes[66] = number === 0 ? 5 : kind === 'stream' ? 2 : 1;
    bytes[67] = 1;
    uint32le(FREE, next(siblings), kind === 'stream' ? FREE : next(Object.entries(kind))).copy(bytes, 68);
    uint32le(...(kind === 'stream' ? [0, 4096] : [END, 0])).copy(bytes, 116);
    return number;
  };
  const next = ([first, ...others]: [string, Storage | 'stream'][]): number =>
    first ? add(...first, others) : FREE;
  add('Root Entry', root, []);
  while (entries.length % 4 > 0) {
    entries.push(Buffer.alloc(128));
  }
  const sectors = entries.length / 4;
  const header = Buffer.alloc(512, 0xff);
  Buffer.concat([
    fromHex('d0cf11e0a1b11ae1'),
    Buffer.alloc(16),
    uint16le(0x3e, 3, 0xfffe, 9, 6),
    Buffer.alloc(6),
    // The stream is in the first eight sectors, then one of the allocation table, then the directory. No small streams.
    uint32le(0, 1, 9, 0, 4096, END, 0, END, 0, 8),
  ]).copy(header);
  const table = Buffer.alloc(512, 0xff);
  uint32le(1, 2, 3, 4, 5, 6, 7, END, FAT).copy(table);
  for (let sector = 9; sector < 9 + sectors; sector += 1) {
    table.writeUInt32LE(sector + 1 < 9 + sectors ? sector + 1 : END, 4 * sector);
  }
  const stream = Buffer.alloc(4096);
  stream.writeUInt16LE(0xa5ec);
  change(header, table);
  return Buffer.concat([header, stream, table, ...entries]);
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
const { [CONTENT_TYPES]: contentTypes, ...otherParts } = WORD_PARTS;

const HEIF_META = box(
  'meta',
  VERSION_0,
  box('hdlr', VERSION_0, Buffer.alloc(4), Buffer.from('pict'), Buffer.alloc(13)),
  box('pitm', VERSION_0, fromHex('0001')),
);

/** A HEIF picture without its data. @param others further brands, such as `mif1heic` */
export const heifOf = (brand: string, others: string): Buffer =>
  Buffer.concat([
    box('ftyp', Buffer.from(brand), Buffer.alloc(4), Buffer.from(others)),
    HEIF_META,
    box('mdat', Buffer.alloc(16)),
  ]);

/** A DOCX as LibreOffice writes it, with a picture of so many bytes. */
export const largeDocx = (pictureBytes: number): Buffer =>
  zipOf(
    [
      ...Object.entries(otherParts),
      ['word/media/image1.png', randomBytes(pictureBytes)],
      [CONTENT_TYPES, contentTypes],
    ],
    { isStreamed: true },
  );

const jpegOfPictures = Buffer.concat([
  jpeg.subarray(0, 2),
  // A segment of the Multi-Picture Format (CIPA DC-007), and the second picture.
  fromHex('ffe2 000a 4d504600 49492a00'),
  jpeg.subarray(2),
  jpeg,
]);

/** The smallest files of each type, and of types that are not accepted. */
export const CONTENT = {
  pdf: pdfOf(),
  jpeg,
  png,
  tiff: tiffOf(),
  webp: Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64'),
  heic: heifOf('heic', 'mif1heic'),
  doc: compoundOf({ WordDocument: 'stream' }),
  docx: zipOf(Object.entries(WORD_PARTS)),
  /** From programs that write the content types last. */
  docxOtherOrder: zipOf([...Object.entries(otherParts), [CONTENT_TYPES, contentTypes]]),
  /** Several pictures in one JPEG, as phones take them. */
  mpo: jpegOfPictures,
  apng: Buffer.concat([
    png.subarray(0, 33),
    pngChunk('acTL', fromHex('00000001 00000000')),
    png.subarray(33),
  ]),
  xls: compoundOf({ Workbook: 'stream', MBD0001: { WordDocument: 'stream' } }),
  xlsx: zipOf([
    [
      CONTENT_TYPES,
      contentTypes.replace(WORD_TYPE, WORD_TYPE.replace('wordprocessingml.document', 'spreadsheetml.sheet')),
    ],
    ['xl/workbook.xml', XML],
  ]),
  zip: zipOf([['readme.txt', 'hello']]),
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
