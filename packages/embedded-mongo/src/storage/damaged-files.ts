import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';

/*
 * What LMDB takes for granted about its files (mdb.c of lmdb 3.5: MDB_page, MDB_meta, MDB_node, mdb_env_pick_meta). Where it finds
 * something else, a signal ends the process, without a word: lmdb closes what it has not opened, or reads behind the end.
 */
const [MAGIC, VERSION] = [0xbeefc0de, 2];
const META_BYTES = 168;
const HEADER_BYTES = 24;
/** Flags of a page. */
const [BRANCH, LEAF, META] = [1, 2, 8];
/** Flags of a node: its value is in pages of its own, or describes another tree. */
const [BIG, TREE] = [1, 2];
/** The flag of a meta page whose data may not be on the disk yet. */
const UNFLUSHED = 0x1000;
const NO_ROOT = 2n ** 64n - 1n;
/** More than any database has, and less than an address space. */
const MAX_BYTES = 2n ** 46n;
/** LMDB takes the size of the system's pages, but at most the largest. */
const PAGE_SIZES = [4096, 8192, 16_384, 32_768, 65_536];

type ReadPage = (page: bigint) => Buffer;

/**
 * Checks the files of an LMDB environment before LMDB maps them. Nobody may write to them meanwhile.
 * @param advice what to do about a damaged file, in a sentence
 * @throws an Error that names the file if it is damaged
 */
export function demandSound(folder: string, advice: string): void {
  for (const name of ['lock.mdb', 'data.mdb']) {
    const file = join(folder, name);
    // A new database has none.
    const found = statSync(file, { throwIfNoEntry: false });
    if (found && !(found.isFile() && (name === 'lock.mdb' || isSound(file)))) {
      throw new Error(`${file} is damaged: it is no database, or no longer a whole one. ${advice}`);
    }
  }
}

function isSound(file: string): boolean {
  const descriptor = openSync(file, 'r');
  const read = (at: number, length: number): Buffer => {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, at));
  };
  try {
    const first = read(0, META_BYTES);
    const pageBytes = first.readUInt32LE(48);
    const isHeader = first.readUInt32LE(24) === MAGIC && first.readUInt16LE(28) === VERSION;
    if (!isHeader || (first.readUInt16LE(18) & META) === 0 || !PAGE_SIZES.includes(pageBytes)) {
      return false;
    }
    const [second, flushed] = [read(pageBytes, META_BYTES), read(pageBytes / 2, META_BYTES)];
    const meta = takenOf(takenOf(first, second), flushed);
    const { size } = fstatSync(descriptor);
    const wanted = (meta.readBigUInt64LE(144) + 1n) * BigInt(pageBytes);
    const readPage: ReadPage = (page) => read(Number(page) * pageBytes, pageBytes);
    for (const at of [88, 136]) {
      // Pages at the end that are free need not exist, so only all pages in use say whether a short file is whole.
      demandTree(readPage, meta.readBigUInt64LE(at), wanted > size);
    }
    return meta.readUInt32LE(48) === pageBytes && size >= 2 * pageBytes && wanted < MAX_BYTES;
  } catch (error) {
    // Of a Buffer that is too short.
    if (error instanceof RangeError) {
      return false;
    }
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** The meta page that LMDB takes. After a power cut the newer one may lead to pages that were never written. */
function takenOf(one: Buffer, other: Buffer): Buffer {
  const [oneId, otherId] = [one.readBigUInt64LE(152), other.readBigUInt64LE(152)];
  const [newer, older] = oneId >= otherId ? [one, other] : [other, one];
  const isFlushed = (newer.readUInt16LE(52) & UNFLUSHED) === 0;
  const isWritten = isFlushed || newer.readBigUInt64LE(160) === bootId();
  return otherId === 0n || oneId === otherId ? one : isWritten ? newer : older;
}

/** The first part of the id of this boot, as LMDB records it; undefined where only LMDB knows it. */
function bootId(): bigint | undefined {
  try {
    return BigInt(`0x${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').split('-')[0]}`);
  } catch {
    return undefined;
  }
}

/** @throws RangeError unless the file has the first page of a tree; with `isWhole`, all its pages */
function demandTree(readPage: ReadPage, root: bigint, isWhole: boolean): void {
  const page = root === NO_ROOT ? undefined : readPage(root);
  const flags = page?.readUInt16LE(18) ?? LEAF;
  if ((page && page.readBigUInt64LE(0) !== root) || (flags & (BRANCH | LEAF)) === 0) {
    throw new RangeError('not a page of a tree');
  }
  for (let at = HEADER_BYTES; page && isWhole && at < HEADER_BYTES + page.readUInt16LE(20); at += 2) {
    const node = page.subarray(HEADER_BYTES + page.readUInt16LE(at));
    const value = node.subarray(8 + node.readUInt16LE(6));
    if ((flags & BRANCH) !== 0) {
      demandTree(readPage, BigInt(node.readUIntLE(0, 6)), true);
    } else if ((node.readUInt16LE(4) & TREE) !== 0) {
      demandTree(readPage, value.readBigUInt64LE(40), true);
    } else if ((node.readUInt16LE(4) & BIG) !== 0) {
      readPage(value.readBigUInt64LE(0) + value.readBigUInt64LE(16) - 1n).readUInt8();
    }
  }
}
