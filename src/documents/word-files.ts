import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { inflateRaw, type ZlibOptions } from 'node:zlib';
import type { Entry } from 'yauzl';
import { systemErrorCode } from '../system/system-errors.ts';

/* Whether a container is a document of Word. Strangers make them: all that is read is bounded, and no offset in a file is believed. */

/** What is read at once: an archive has thousands of small entries. */
const WINDOW_BYTES = 8_192;
/** Chains of sectors may be loops, and the way to a table may be long. */
const MAX_READS = 4_096;

/** Reads a part of a file. Rejects with RangeError for a part that is not in it, and after too many reads. */
type Read = (position: number, sizeBytes: number) => Promise<Buffer>;

/** @returns what a check of a file and its size says; false if the file is malformed */
async function checkFile(
  filePath: string,
  check: (read: Read, fileBytes: number) => Promise<boolean>,
): Promise<boolean> {
  const handle = await open(filePath);
  let [window, start, reads] = [Buffer.alloc(0), 0, 0];
  try {
    const { size } = await handle.stat();
    const read: Read = async (position, sizeBytes) => {
      if (position + sizeBytes > size || reads > MAX_READS) {
        throw new RangeError('beyond the limits of the file');
      }
      if (position < start || position + sizeBytes > start + window.length) {
        const length = Math.min(Math.max(sizeBytes, WINDOW_BYTES), size - position);
        window = (await handle.read(Buffer.alloc(length), 0, length, position)).buffer;
        [start, reads] = [position, reads + 1];
      }
      return window.subarray(position - start).subarray(0, sizeBytes);
    };
    return await check(read, size);
  } catch (error) {
    if (systemErrorCode(error) !== undefined) {
      throw error;
    }
    return false;
  } finally {
    await handle.close();
  }
}

const MAX_ENTRIES = 2_000;
const CONTENT_TYPES = /^\[content_types\]\.xml$/i;
const STORED = 0;
const MAX_CONTENT_TYPES_BYTES = 1_048_576;
/** The first main part decides. */
const MAIN_TYPE = /"([^"]*)\.main\+xml"/;
const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/**
 * True for a DOCX: its list of content types names a document of Word as the main part (ECMA-376 part 2). The list may be anywhere in
 * the archive, so it is found by the central directory at the end (APPNOTE 6.3, section 4.3.12).
 * @param filePath an archive, by its signature
 */
export async function isDocx(filePath: string): Promise<boolean> {
  // Loaded by the first document of this kind.
  const yauzl = await import('yauzl');
  return checkFile(filePath, async (read, fileBytes) => {
    const types = await contentTypesOf(read, fileBytes, yauzl);
    return MAIN_TYPE.exec(types ?? '')?.[1] === WORD;
  });
}

type Done = (error: Error | null, bytesRead?: number) => void;

/** @returns undefined if there is not one list, or if a limit is exceeded */
async function contentTypesOf(
  read: Read,
  fileBytes: number,
  yauzl: typeof import('yauzl'),
): Promise<string | undefined> {
  class Reader extends yauzl.RandomAccessReader {
    /** With yauzl's own, Node.js throws in a callback at an offset of 64 bits, and the process ends. */
    override read(buffer: Buffer, offset: number, length: number, position: number, done: Done): void {
      void read(position, length).then((bytes) => done(null, bytes.copy(buffer, offset)), done);
    }
  }
  const options = { lazyEntries: true, decodeStrings: false };
  const zip = await yauzl.fromRandomAccessReaderPromise(new Reader(), fileBytes, options);
  if (zip.entryCount > MAX_ENTRIES) {
    return undefined;
  }
  const lists: Entry[] = [];
  for await (const entry of zip.eachEntry()) {
    if (!entry.canDecodeFileData()) {
      return undefined;
    }
    if (CONTENT_TYPES.test(entry.fileNameRaw.toString())) {
      lists.push(entry);
    }
  }
  const [list] = lists;
  if (!list || lists.length > 1 || list.compressedSize > MAX_CONTENT_TYPES_BYTES) {
    return undefined;
  }
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(list, { minimal: true });
  const bytes = await read(fileDataStart, list.compressedSize);
  const limits = { maxOutputLength: MAX_CONTENT_TYPES_BYTES };
  return (list.compressionMethod === STORED ? bytes : await inflate(bytes, limits)).toString();
}

const inflate = promisify<Buffer, ZlibOptions, Buffer>(inflateRaw);

const ENTRY_BYTES = 128;
/** With four entries or more in each, far more than a document with hundreds of embedded objects has. */
const MAX_DIRECTORY_SECTORS = 1_024;
/** The sectors of the allocation table that the header names. A chain of sectors names the others. */
const TABLES_IN_HEADER = 109;
const STREAM = 2;

/**
 * True for a DOC: the root of the compound file has the stream of Word ([MS-DOC] 2.1.1). That of an embedded document is deeper.
 * @param filePath a compound file, by its signature
 */
export const isDoc = (filePath: string): Promise<boolean> =>
  checkFile(filePath, async (read, fileBytes) => {
    const directory = await directoryOf(read, fileBytes);
    // The entries of a storage are a tree ([MS-CFB] 2.6.4). In a set, each is looked at once, even if the tree has loops.
    const ids = new Set([directory.readUInt32LE(76)]);
    for (const id of ids) {
      const entry = directory.subarray(id * ENTRY_BYTES, (id + 1) * ENTRY_BYTES);
      if (entry[66] === STREAM && entry.toString('utf16le', 0, 26) === 'WordDocument\0') {
        return true;
      }
      if (entry.length === ENTRY_BYTES) {
        ids.add(entry.readUInt32LE(68)).add(entry.readUInt32LE(72));
      }
    }
    return false;
  });

/**
 * The directory of a compound file, up to a limit ([MS-CFB] 2.2 to 2.6).
 * @throws RangeError for a file that has none
 */
async function directoryOf(readAt: Read, fileBytes: number): Promise<Buffer> {
  const header = await readAt(0, 512);
  const sectorBytes = 2 ** header.readUInt16LE(30);
  if (sectorBytes !== 512 && sectorBytes !== 4096) {
    throw new RangeError('sectors of another size');
  }
  const read = (sector: number) => readAt((sector + 1) * sectorBytes, sectorBytes);
  const perSector = sectorBytes / 4;
  const tableAt = async (index: number): Promise<number> => {
    if (index < TABLES_IN_HEADER) {
      return header.readUInt32LE(76 + 4 * index);
    }
    let [names, left] = [await read(header.readUInt32LE(68)), index - TABLES_IN_HEADER];
    for (; left >= perSector - 1; left -= perSector - 1) {
      names = await read(names.readUInt32LE(sectorBytes - 4));
    }
    return names.readUInt32LE(4 * left);
  };
  const directory: Buffer[] = [];
  let sector = header.readUInt32LE(48);
  while ((sector + 2) * sectorBytes <= fileBytes && directory.length < MAX_DIRECTORY_SECTORS) {
    // A copy: what is read is a part of a larger buffer.
    directory.push(Buffer.from(await read(sector)));
    const table = await read(await tableAt(Math.floor(sector / perSector)));
    sector = table.readUInt32LE(4 * (sector % perSector));
  }
  return Buffer.concat(directory);
}
