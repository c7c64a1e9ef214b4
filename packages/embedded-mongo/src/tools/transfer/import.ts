import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Document } from 'bson';
import { CommandError } from '../../base/errors.ts';
import { runCommand } from '../../commands/run-command.ts';
import type { Engine } from '../../commands/support/command.ts';
import { CursorRegistry } from '../../query/cursors.ts';
import { Catalog } from '../../storage/catalog.ts';
import type { Collection } from '../../storage/collection.ts';
import { copyDataFile, DATA_FILE } from '../../storage/data-file.ts';
import { prepareInsert } from '../../storage/storable.ts';
import { Store } from '../../storage/store.ts';
import { encode } from '../../values/bson-codec.ts';
import { display } from '../../values/display.ts';
import { replaceDataFile } from '../restore/replace-data-file.ts';
import { type ExportedCollection, parsed, readExport } from './exported.ts';
import { linesOf } from './lines.ts';

/** One transaction holds this much, and so does memory. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
const MAX_BATCH_DOCUMENTS = 1000;

/** How an export is imported. */
export interface ImportOptions {
  signal?: AbortSignal | undefined;
  /** Called now and then with the bytes that are done, and all bytes. */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/** The result of an import. */
export interface Imported {
  collections: { namespace: string; documents: number }[];
  /** False if the export does not have them: then only the index on `_id` exists. */
  hasIndexes: boolean;
}

/** A document of the export, ready to be stored. */
interface ReadDocument {
  line: number;
  document: Document;
  raw: Buffer;
}

/**
 * Imports what `exportTo` has written (Extended JSON, one document a line), with its indexes. All or nothing: the data folder
 * gets a new data file in one step, after everything is in it. Files of mongoexport work, too.
 * @param path is created if it does not exist. Its collections stay
 * @throws an Error with the file and the number of the line for a document that cannot be stored; an Error if a collection
 * exists already or the export is not complete; EmbeddedMongoLockedError if an engine of another process uses the folder
 */
export async function importInto(path: string, from: string, options: ImportOptions = {}): Promise<Imported> {
  const { collections, hasIndexes } = await readExport(from);
  const prepare = async (staging: string) => {
    if (existsSync(join(path, DATA_FILE))) {
      await copyDataFile(path, staging);
    }
    const store = Store.open(staging);
    try {
      return await new Import(store, options).run(collections);
    } finally {
      await store.close();
    }
  };
  const { prepared } = await replaceDataFile(path, { prepare, keepsFormer: false });
  return { collections: prepared, hasIndexes };
}

/** One run, into a store that nobody else uses. */
class Import {
  readonly #engine: Engine;
  readonly #options: ImportOptions;
  #doneBytes = 0;
  #totalBytes = 0;

  constructor(store: Store, options: ImportOptions) {
    const catalog = new Catalog(store);
    this.#engine = {
      store,
      catalog,
      cursors: new CursorRegistry(),
      startedAt: Date.now(),
      connections: { current: 0, totalCreated: 0 },
    };
    this.#options = options;
  }

  async run(collections: readonly ExportedCollection[]): Promise<Imported['collections']> {
    for (const { namespace, file } of collections) {
      if (this.#engine.catalog.find(namespace)) {
        throw new Error(`The database has the collection ${namespace} already. Import into an empty folder.`);
      }
      this.#totalBytes += (await stat(file)).size;
    }
    const imported: Imported['collections'] = [];
    for (const each of collections) {
      imported.push({ namespace: each.namespace, documents: await this.#importCollection(each) });
    }
    return imported;
  }

  /** Indexes first: a document that violates one is found at its line. */
  async #importCollection(exported: ExportedCollection): Promise<number> {
    const { file, documents } = exported;
    const collection = await this.#create(exported);
    let count = 0;
    let batch: ReadDocument[] = [];
    let bytes = 0;
    for await (const { number: line, text, offset } of linesOf(file)) {
      const read = { line, ...stored(file, line, text) };
      batch.push(read);
      bytes += read.raw.length;
      count++;
      if (bytes >= MAX_BATCH_BYTES || batch.length >= MAX_BATCH_DOCUMENTS) {
        await this.#insert(collection, file, batch);
        this.#options.onProgress?.(this.#doneBytes + offset, this.#totalBytes);
        batch = [];
        bytes = 0;
      }
    }
    await this.#insert(collection, file, batch);
    this.#doneBytes += (await stat(file)).size;
    this.#options.onProgress?.(this.#doneBytes, this.#totalBytes);
    if (documents !== undefined && documents !== count) {
      throw new Error(`The export is not complete: ${file} has ${count} documents of ${documents}.`);
    }
    return count;
  }

  async #create({ namespace, file, indexes }: ExportedCollection): Promise<Collection> {
    const { catalog } = this.#engine;
    const $db = namespace.slice(0, namespace.indexOf('.'));
    const name = namespace.slice($db.length + 1);
    const create = { create: name, $db };
    const others = indexes.filter((index) => index.name !== '_id_');
    const commands = others.length > 0 ? [create, { createIndexes: name, indexes: others, $db }] : [create];
    for (const command of commands) {
      const reply = await runCommand(this.#engine, command, 0);
      if (reply.ok !== 1) {
        throw new Error(`${file}: ${reply.errmsg}`);
      }
    }
    return catalog.find(namespace) as Collection;
  }

  async #insert(collection: Collection, file: string, batch: readonly ReadDocument[]): Promise<void> {
    this.#options.signal?.throwIfAborted();
    await this.#engine.store.write(() => {
      for (const { line, document, raw } of batch) {
        try {
          collection.insert(document, raw);
        } catch (error) {
          throw new Error(`${file}, line ${line}: ${reasonOf(error)}`, { cause: error });
        }
      }
    });
  }
}

function stored(file: string, line: number, text: string): Omit<ReadDocument, 'line'> {
  const document = parsed(file, line, text);
  try {
    return prepareInsert(encode(document));
  } catch (cause) {
    throw new Error(`${file}, line ${line}: ${(cause as Error).message}`, { cause });
  }
}

/** Without the value, which may be confidential. */
function reasonOf(error: unknown): string {
  const keyPattern = error instanceof CommandError ? error.extra.keyPattern : undefined;
  return keyPattern
    ? `another document has the same value in the unique index ${display(keyPattern)}`
    : (error as Error).message;
}
