import type { DocumentStore } from '@apollo/server';
import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

/** Clients have a handful of operations each. With the limit on tokens, one document takes 400 KB at the very most. */
const MAX_DOCUMENTS = 100;
/** What is longer is no client's operation, which have a few hundred, and is parsed anew each time. */
const MAX_SOURCE_CHARACTERS = 20_000;

/**
 * The documents that were parsed and found valid last, so that a client's operations are so only once.
 *
 * Apollo's own store weighs a document by its JSON, which does not have the text that it was parsed from: `{ __typename }`
 * with a comment of 100 KB weighs next to nothing, and a flood of such documents, each with another comment, would fill
 * gigabytes before the store were full (seen: 460 MB after 5,000 of them).
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
