import type { ReceivedFile } from './received-file.ts';

/** The three groups of contract section 2; each is a folder below the storage root and a part of the URL. */
export const DOCUMENT_GROUPS = ['licenses', 'diplomas', 'certifications'] as const;
export type DocumentGroup = (typeof DOCUMENT_GROUPS)[number];

/** The form of every stored path. Whatever else lies in a store is none of ours, and neither served nor removed. */
export const STORED_PATH = /^(?:licenses|diplomas|certifications)\/[0-9A-Za-z]{40}\.[a-z]{3,4}$/;

/** A document as a store lists it. */
export interface StoredDocument {
  /** `<group>/<name>` */
  path: string;
  storedAt: Date;
}

/** Where accepted documents live. */
export interface DocumentStore {
  /** Makes the store ready. Throws where it cannot be written to. */
  prepare(): Promise<void>;
  /**
   * Takes a file out of quarantine, whole or not at all.
   * @returns its stored path, `<group>/<40 random characters>.<extension>`
   */
  keep(group: DocumentGroup, file: ReceivedFile): Promise<string>;
  /** Removes a document; it may be gone already. */
  remove(storedPath: string): Promise<void>;
  /** All documents of a group, in any order; one that is stored or removed meanwhile may or may not be among them. */
  list(group: DocumentGroup): AsyncIterable<StoredDocument>;
}
