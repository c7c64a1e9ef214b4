import { createWriteStream, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { keepToOwner, PRIVATE_FOLDER, replacing } from '../base/private-files.ts';
import type { Catalog } from '../storage/catalog.ts';
import type { Collection } from '../storage/collection.ts';
import { describeIndex } from '../storage/index-spec.ts';
import { decode } from '../values/bson-codec.ts';
import { extendedJson } from '../values/extended-json.ts';
import { outerName } from '../values/names.ts';

/** Called after every document. */
export type OnProgress = (done: number, total: number) => void;

/**
 * Writes every collection as `<database>.<collection>.json`: one document a line, in canonical Extended JSON, which
 * mongoimport reads without loss of a type. Writes all indexes as `indexes.js`, which mongosh runs. The data may be
 * confidential, so only this user can read the files.
 * @returns the files
 */
export async function exportAll(catalog: Catalog, folder: string, onProgress: OnProgress): Promise<string[]> {
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const collections = catalog.list();
  const total = collections.reduce((sum, collection) => sum + collection.count(), 0);
  const files: string[] = [];
  let done = 0;
  for (const collection of collections) {
    const file = join(folder, `${encodeURIComponent(collection.namespace)}.json`);
    const lines = linesOf(collection, () => onProgress(++done, total));
    await pipeline(Readable.from(lines), createWriteStream(file, replacing(file)));
    files.push(file);
  }
  const indexes = join(folder, 'indexes.js');
  writeFileSync(indexes, collections.map(indexCommand).join(''), replacing(indexes));
  const written = [...files, indexes];
  keepExportFolder(folder, written);
  return written;
}

/** Closes the folder to other users, also the folder of an older export. A folder with other files keeps its mode. */
function keepExportFolder(folder: string, written: readonly string[]): void {
  const names = new Set(written.map((file) => basename(file)));
  if (readdirSync(folder).every((name) => names.has(name))) {
    keepToOwner(folder);
  }
}

function* linesOf(collection: Collection, onDocument: () => void): Generator<string> {
  for (const { raw } of collection.scanDocuments()) {
    yield `${extendedJson(decode(raw), { relaxed: false })}\n`;
    onDocument();
  }
}

/** A key is a Map, because a JavaScript object would put names that are whole numbers first. */
function indexCommand(collection: Collection): string {
  const indexes = collection.indexes.slice(1).map(({ spec }) => {
    const { key, ...options } = describeIndex(spec);
    const fields = Object.entries(key).map(([field, direction]) => [outerName(field), direction]);
    const rest = extendedJson(options, { relaxed: true });
    return `{key:new Map(${JSON.stringify(fields)}),...EJSON.deserialize(${rest})}`;
  });
  if (indexes.length === 0) {
    return '';
  }
  const [database, name] = [collection.database, collection.name].map((text) => JSON.stringify(text));
  return `db.getSiblingDB(${database}).runCommand({createIndexes:${name},indexes:[${indexes.join(',')}]});\n`;
}
