import { writeFile } from 'node:fs/promises';
import {
  ACCEPTED_EXTENSIONS,
  type DocumentCheck,
  extensionOf,
  isAcceptedDocument,
} from '../../../src/documents/document-types.ts';
import { ReceivedFile } from '../../../src/documents/quarantine.ts';
import { CONTENT, compoundOf, heifOf, zipOf } from '../../support/documents.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';

const inFolder = folderOfEachTest();

/** The extension under which a file is stored; undefined if it is refused. */
async function stored(
  clientName: string,
  bytes: Buffer,
  check: DocumentCheck = 'strict',
): Promise<string | undefined> {
  const filePath = inFolder('upload');
  await writeFile(filePath, bytes);
  const file = new ReceivedFile(filePath, clientName, bytes.length, false, '');
  return (await isAcceptedDocument(file, check)) ? file.extension : undefined;
}

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
  async (name) => {
    expect(await stored(`license.${name}`, CONTENT.plain, 'signature')).toBeUndefined();
    expect(await stored(`license.${name}`, CONTENT.pdf)).toBe('pdf');
  },
);

test('an extension in capital letters is stored in small ones', async () => {
  expect(await stored('Photo.JpEg', CONTENT.jpeg)).toBe('jpeg');
  expect(await stored('SCAN.TIFF', CONTENT.tiff)).toBe('tiff');
});

test('content without a known signature goes by its name with the check "signature", and is refused by "strict"', async () => {
  for (const extension of ACCEPTED_EXTENSIONS) {
    expect(await stored(`license.${extension}`, CONTENT.plain, 'signature')).toBe(extension);
    expect(await stored(`license.${extension}`, CONTENT.plain)).toBeUndefined();
  }
  expect(await stored('license', CONTENT.plain, 'signature')).toBeUndefined();
});

test('the signature of a type that is not accepted is refused by both checks', async () => {
  for (const check of ['signature', 'strict'] as const) {
    for (const bytes of [CONTENT.zip, CONTENT.xls, CONTENT.gzip, CONTENT.elf, CONTENT.exe, CONTENT.gif]) {
      expect(await stored('license.pdf', bytes, check)).toBeUndefined();
    }
    expect(await stored('license.pdf', CONTENT.png, check)).toBe('png');
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
  expect(await stored('license.pdf', Buffer.from(text), 'signature')).toBeUndefined();
  expect(await stored('license.pdf', Buffer.from(`\ufeff${text}`, 'utf16le'), 'signature')).toBeUndefined();
});

test.each([
  ['heim', 'heim', 'heic'],
  ['heis', 'heis', 'heic'],
  ['mif1', 'mif1heic', 'heic'],
  ['mif2', 'mif1mif2hevx', 'heic'],
  ['mif2', 'mif1mif2avif', undefined],
  // The last of these letters are those of two brands.
  ['mif2', 'mif1mif2xhei', undefined],
  ['avif', 'mif1avif', undefined],
  ['isom', 'isomheic', undefined],
])('a HEIF file of the brand %s with %s is stored as %s', async (brand, others, extension) => {
  expect(await stored('IMG_1.HEIF', heifOf(brand, others))).toBe(extension);
});

/** The content types of a document of Word, or of another type. */
const typesXml = (type = 'wordprocessingml.document', filler = ''): string =>
  `<Types>${filler}<Override ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`;
const TYPES = '[Content_Types].xml';
const emptyEntries = (count: number): [string, string][] =>
  Array.from({ length: count }, (_, index) => [`word/${index}.xml`, '']);
const zip64End = (offset: bigint): Buffer => {
  const zip = zipOf([[TYPES, typesXml()]]);
  const end = zip.length - 22;
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50);
  locator.writeBigUInt64LE(offset, 8);
  return Buffer.concat([zip.subarray(0, end), locator, zip.subarray(end)]);
};
const put = (bytes: Buffer, number: number, at: number) => bytes.writeUInt32LE(number, at);
const changed = (bytes: Buffer, change: (copy: Buffer) => void): Buffer => {
  const copy = Buffer.from(bytes);
  change(copy);
  return copy;
};
const WORD: [string, string] = [TYPES, typesXml()];
const typesOf = (xml: string | Buffer) => zipOf([[TYPES, xml]]);
const MACROS = '<Override ContentType="application/vnd.ms-word.document.macroEnabled.main+xml"/>';
const list = zipOf([WORD]);
const centralEntry = list.indexOf('PK\u0001\u0002');

test.each<[what: string, bytes: Buffer, isAccepted: boolean]>([
  ['2,000 entries', zipOf([...emptyEntries(1_999), WORD]), true],
  ['2,001 entries', zipOf([...emptyEntries(2_000), WORD]), false],
  ['60,000 stated entries', zipOf([WORD], { count: 60_000 }), false],
  ['more stated entries than there are', zipOf([WORD], { count: 2 }), false],
  ['no list of content types', zipOf([['word/document.xml', '']]), false],
  ['two lists', zipOf([WORD, WORD]), false],
  ['two lists that differ in case', zipOf([WORD, [TYPES.toLowerCase(), '']]), false],
  ['a list of 1 MiB', typesOf(typesXml(undefined, ' '.repeat(1_048_400))), true],
  ['a longer list', typesOf(typesXml(undefined, ' '.repeat(1_048_576))), false],
  ['a bomb', typesOf(Buffer.alloc(50_000_000)), false],
  ['an empty list', typesOf(''), false],
  ['a workbook as the main part', typesOf(typesXml('spreadsheetml.sheet')), false],
  ['macros', typesOf(MACROS), false],
  ['an encrypted entry', zipOf([WORD], { isEncrypted: true }), false],
  ['its end cut off', list.subarray(0, -1), false],
  ['only the beginning', list.subarray(0, 20), false],
  ['a directory beyond its end', changed(list, (copy) => put(copy, 0xfffffff0, copy.length - 6)), false],
  ['an entry beyond its end', changed(list, (copy) => put(copy, 0x7fffffff, centralEntry + 42)), false],
  ['broken compressed data', changed(list, (copy) => copy.fill(0xff, 50, 60)), false],
  ['another compression', changed(list, (copy) => copy.writeUInt16LE(12, centralEntry + 10)), false],
  // At these, Node.js itself throws, in callbacks of yauzl.
  ['an offset of 64 bits', zip64End(2n ** 64n - 1n), false],
  ['an offset above 2^53', zip64End(2n ** 53n + 2n), false],
])('a DOCX with %s: %#', async (_what, bytes, isAccepted) => {
  expect(await stored('license.docx', bytes)).toBe(isAccepted ? 'docx' : undefined);
});

const streams = (count: number): Record<string, 'stream'> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${index}`, 'stream']));

test.each<[what: string, bytes: Buffer, isAccepted: boolean]>([
  ['the stream of Word', CONTENT.doc, true],
  ['it after others', compoundOf({ ...streams(300), WordDocument: 'stream' }), true],
  ['it only in an embedded document', CONTENT.xls, false],
  ['a storage of that name', compoundOf({ WordDocument: {} }), false],
  ['a longer name', compoundOf({ WordDocument2: 'stream' }), false],
  ['nothing', compoundOf({}), false],
  ['a directory that is a loop', compoundOf(streams(20), (_, table) => table.writeUInt32LE(9, 4 * 9)), false],
  ['a directory beyond its end', compoundOf(streams(1), (header) => put(header, 0xfffffff0, 48)), false],
  ['a table beyond its end', compoundOf(streams(1), (header) => put(header, 0x7fffffff, 76)), false],
  ['sectors of another size', compoundOf(streams(1), (header) => header.writeUInt16LE(31, 30)), false],
  ['only the signature', CONTENT.doc.subarray(0, 8), false],
  ['only the header', CONTENT.doc.subarray(0, 512), false],
])('a compound file with %s', async (_what, bytes, isAccepted) => {
  expect(await stored('license.doc', bytes)).toBe(isAccepted ? 'doc' : undefined);
});

test('siblings of a compound file that name each other are looked at once', async () => {
  const bytes = compoundOf(streams(2));
  const directory = bytes.length - 512;
  bytes.writeUInt32LE(1, directory + 2 * 128 + 68);
  bytes.writeUInt32LE(2, directory + 2 * 128 + 72);
  expect(await stored('license.doc', bytes)).toBeUndefined();
});

/** A compound file of so many sectors, whose directory is the last one. The sectors of its table are empty but the last. */
function largeCompound(sectors: number): Buffer {
  const bytes = Buffer.alloc((sectors + 1) * 512);
  const small = compoundOf({ WordDocument: 'stream' });
  small.copy(bytes, 0, 0, 512);
  small.copy(bytes, sectors * 512, small.length - 512);
  bytes.writeUInt32LE(sectors - 1, 48);
  // The chain of further tables is one sector, the first of all; each table is the second.
  bytes.fill(Buffer.of(1, 0, 0, 0), 76, 512).writeUInt32LE(0, 68);
  bytes.fill(Buffer.of(1, 0, 0, 0), 512, 1_020).fill(0xff, 1_020, 1_536);
  return bytes;
}

test('a DOC of more than 7 MB has further tables, whose chain may be a loop', async () => {
  expect(await stored('license.doc', largeCompound(15_000))).toBe('doc');
  const looping = largeCompound(60_000);
  looping.writeUInt32LE(0, 1_020);
  expect(await stored('license.doc', looping)).toBe('doc');
});

const PJL = '\u001b%-12345X@PJL JOB NAME="Scan <1>"\r\n@PJL ENTER LANGUAGE=PDF\r\n';

test.each<[before: string, isAccepted: boolean]>([
  [' \r\n\t', true],
  [PJL.replace('<1>', '1'), true],
  ['@PJL SET RESOLUTION=300\n\n', true],
  [' '.repeat(1_024), true],
  [' '.repeat(1_025), false],
  [PJL, false],
  [PJL.replace('<1>', '#!/bin/sh'), false],
  ['\ufeff\ufeff', false],
  ['@PJL without an end', false],
  ['\0', false],
  ['GIF89a', false],
])('%j before a PDF', async (before, isAccepted) => {
  const bytes = Buffer.concat([Buffer.from(before), CONTENT.pdf]);
  expect(await stored('license.pdf', bytes)).toBe(isAccepted ? 'pdf' : undefined);
});
