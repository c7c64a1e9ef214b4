import { createWriteStream, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { keepToOwner, PRIVATE_FOLDER, replacing } from '../../base/private-files.ts';
import type { Catalog } from '../../storage/catalog.ts';
import type { Collection } from '../../storage/collection.ts';
import { describeIndex } from '../../storage/index-spec.ts';
import { decode } from '../../values/bson-codec.ts';
import { extendedJson } from '../../values/extended-json.ts';
import { outerName } from '../../values/names.ts';

/** The list of the collections in an export, with their indexes. No file of a collection has a name without a dot. */
export const COLLECTIONS_FILE = 'collections.json';

/** The file of a collection in an export. */
export const fileNameOf = (namespace: string): string => `${encodeURIComponent(namespace)}.json`;

/** Called after every document. */
export type OnProgress = (done: number, total: number) => void;

/**
 * Writes every collection as `<database>.<collection>.json`: one document a line, in canonical Extended JSON, which
 * mongoimport reads without loss of a type. Writes all indexes twice: as `collections.json`, which `importInto` reads, and as
 * `indexes.js`, which mongosh runs. The data may be confidential, so only this user can read the files.
 * @returns the files
 */
export async function exportAll(catalog: Catalog, folder: string, onProgress: OnProgress): Promise<string[]> {
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const collections = catalog.list();
  const total = collections.reduce((sum, collection) => sum + collection.count(), 0);
  const files: string[] = [];
  const list = join(folder, COLLECTIONS_FILE);
  // It is written last. In an export that was cut short it is empty; without it, the export would pass for one of an earlier
  // version, which had none.
  writeFileSync(list, '', replacing(list));
  const listed: string[] = [];
  let done = 0;
  for (const collection of collections) {
    const file = join(folder, fileNameOf(collection.namespace));
    let documents = 0;
    const lines = linesOf(collection, () => {
      documents++;
      onProgress(++done, total);
    });
    await pipeline(Readable.from(lines), createWriteStream(file, replacing(file)));
    files.push(file);
    listed.push(listLine(collection, documents));
  }
  const indexes = join(folder, 'indexes.js');
  writeFileSync(indexes, collections.map(indexCommand).join(''), replacing(indexes));
  writeFileSync(list, listed.join(''), replacing(list));
  const written = [...files, indexes, list];
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

/** A collection with the number of its documents and its indexes in the form of listIndexes, in canonical Extended JSON. */
function listLine({ namespace, indexes }: Collection, documents: number): string {
  const described = indexes.map(({ spec }) => describeIndex(spec));
  return `${extendedJson({ namespace, documents, indexes: described }, { relaxed: false })}\n`;
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
