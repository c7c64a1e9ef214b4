import type { DocumentStore } from '@apollo/server';
import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

/** Clients have a handful of operations each. With the limit on tokens, one document takes 400 KB at the very most. */
const MAX_DOCUMENTS = 100;
/** Operations of clients have a few hundred characters. A longer document is parsed each time. */
const MAX_SOURCE_CHARACTERS = 20_000;

const sourceOf = ({ loc }: DocumentNode): string => loc?.source.body ?? '';

/**
 * The documents that were parsed and found valid, so that each operation of a client is parsed only once. Apollo Server keeps
 * and finds them by its hash. Validity depends only on the schema and the rules, which are the same for all requests.
 *
 * Apollo's own cache measures a document by its JSON, which does not contain the source text. `{ __typename }` with a comment
 * of 100 KB would count as a few bytes. A flood of such documents, each with another comment, would fill gigabytes before
 * the cache was full (measured: 460 MB after 5,000 of them).
 */
export class ParsedDocuments implements DocumentStore {
  readonly #documents = new LRUCache<string, DocumentNode>({
    max: MAX_DOCUMENTS,
    dispose: (document) => this.#keys.delete(sourceOf(document)),
  });
  /** The key of each document, by its source text. */
  readonly #keys = new Map<string, string>();

  /**
   * A valid document by its text, which takes less time than its hash.
   * @returns undefined if it is not known, which says nothing about it
   */
  findValid(source: string): DocumentNode | undefined {
    const key = this.#keys.get(source);
    return key === undefined ? undefined : this.#documents.get(key);
  }

  async get(key: string): Promise<DocumentNode | undefined> {
    return this.#documents.get(key);
  }

  async set(key: string, document: DocumentNode): Promise<void> {
    const source = sourceOf(document);
    if (source.length <= MAX_SOURCE_CHARACTERS) {
      // First, because it disposes of an earlier document with this key.
      this.#documents.set(key, document);
      this.#keys.set(source, key);
    }
  }

  async delete(key: string): Promise<boolean> {
    return this.#documents.delete(key);
  }
}
