import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Document } from 'bson';
import { decode, encode } from '../../values/bson-codec.ts';
import { parseExtendedJson } from '../../values/parse-extended-json.ts';
import { COLLECTIONS_FILE, fileNameOf } from './export.ts';
import { linesOf } from './lines.ts';

/** A collection in an export. */
export interface ExportedCollection {
  namespace: string;
  file: string;
  /** Undefined if the export does not say it. */
  documents: number | undefined;
  /** In the form of listIndexes. */
  indexes: Document[];
}

/**
 * The collections of an export, and whether it has their indexes: exports of versions before `collections.json` do not, nor
 * do those of mongoexport.
 * @throws an Error if the folder has no export, or only a part of one
 */
export async function readExport(
  from: string,
): Promise<{ collections: ExportedCollection[]; hasIndexes: boolean }> {
  const list = join(from, COLLECTIONS_FILE);
  const hasIndexes = existsSync(list);
  const collections = hasIndexes ? await listed(list, from) : found(from);
  if (collections.length === 0) {
    throw new Error(`There is no ${hasIndexes ? 'complete ' : ''}export in ${from}.`);
  }
  const missing = collections.find(({ file }) => !existsSync(file));
  if (missing) {
    throw new Error(`The export is not complete: ${missing.file} is missing.`);
  }
  return { collections, hasIndexes };
}

async function listed(list: string, from: string): Promise<ExportedCollection[]> {
  const collections: ExportedCollection[] = [];
  for await (const { number, text } of linesOf(list)) {
    const { namespace, documents, indexes } = decode(encode(parsed(list, number, text)));
    if (typeof namespace !== 'string' || typeof documents !== 'number' || !Array.isArray(indexes)) {
      throw new Error(`${list}, line ${number}: not the description of a collection`);
    }
    collections.push({ namespace, documents, indexes, file: join(from, fileNameOf(namespace)) });
  }
  return collections;
}

function found(from: string): ExportedCollection[] {
  return readdirSync(from)
    .filter((name) => /\..*\.json$/.test(name))
    .map((name) => ({
      namespace: decodeURIComponent(name.slice(0, -'.json'.length)),
      file: join(from, name),
      documents: undefined,
      indexes: [],
    }));
}

/**
 * The document of a line.
 * @throws an Error with the file and the number of the line
 */
export function parsed(file: string, number: number, text: string): Document {
  try {
    return parseExtendedJson(text);
  } catch (cause) {
    throw new Error(`${file}, line ${number}: ${(cause as Error).message}`, { cause });
  }
}
