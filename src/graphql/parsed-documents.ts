import type { DocumentStore } from '@apollo/server';
import type { DocumentNode } from 'graphql';

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
  /** The one used last is the last. */
  readonly #documents = new Map<string, DocumentNode>();

  async get(key: string): Promise<DocumentNode | undefined> {
    const document = this.#documents.get(key);
    if (document) this.#use(key, document);
    return document;
  }

  async set(key: string, document: DocumentNode): Promise<void> {
    if ((document.loc?.source.body.length ?? 0) > MAX_SOURCE_CHARACTERS) return;
    this.#use(key, document);
    const [oldest] = this.#documents.keys();
    if (this.#documents.size > MAX_DOCUMENTS && oldest !== undefined) this.#documents.delete(oldest);
  }

  async delete(key: string): Promise<boolean> {
    return this.#documents.delete(key);
  }

  #use(key: string, document: DocumentNode): void {
    this.#documents.delete(key);
    this.#documents.set(key, document);
  }
}
