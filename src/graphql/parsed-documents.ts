import type { DocumentStore } from '@apollo/server';
import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

/** Clients have a handful of operations each. With the limit on tokens, one document takes 400 KB at the very most. */
const MAX_DOCUMENTS = 100;
/** Operations of clients have a few hundred characters. A longer document is parsed each time. */
const MAX_SOURCE_CHARACTERS = 20_000;

/**
 * A cache of documents that were parsed and found valid, so that each operation of a client is parsed only once.
 *
 * Apollo's own cache measures a document by its JSON, which does not contain the source text. `{ __typename }` with a comment
 * of 100 KB would count as a few bytes. A flood of such documents, each with another comment, would fill gigabytes before
 * the cache was full (measured: 460 MB after 5,000 of them).
 */
export class ParsedDocuments implements DocumentStore {
  readonly #documents = new LRUCache<string, DocumentNode>({ max: MAX_DOCUMENTS });

  async get(key: string): Promise<DocumentNode | undefined> {
    return this.#documents.get(key);
  }

  async set(key: string, document: DocumentNode): Promise<void> {
    if ((document.loc?.source.body.length ?? 0) <= MAX_SOURCE_CHARACTERS) {
      this.#documents.set(key, document);
    }
  }

  async delete(key: string): Promise<boolean> {
    return this.#documents.delete(key);
  }
}
