import type { Readable } from 'node:stream';
import type { ReceivedFile } from './received-file.ts';

/**
 * The three groups of documents (docs/contract.md, "Stored documents"). Each is a folder below the storage root and a
 * part of the URL.
 */
export const DOCUMENT_GROUPS = ['licenses', 'diplomas', 'certifications'] as const;
export type DocumentGroup = (typeof DOCUMENT_GROUPS)[number];

/** The form of every stored path. Other files in a store are not ours. They are neither served nor removed. */
export const STORED_PATH = /^(?:licenses|diplomas|certifications)\/[0-9A-Za-z]{40}\.[a-z]{3,4}$/;

/** A document as a store lists it. */
export interface StoredDocument {
  /** `<group>/<name>` */
  path: string;
  storedAt: Date;
}

/** What a reader of a document asks for: HTTP's headers of these names (RFC 9110 sections 13 and 14), where sent. */
export interface ReadRequest {
  range: string | undefined;
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
  ifModifiedSince: string | undefined;
  ifUnmodifiedSince: string | undefined;
  ifRange: string | undefined;
}

/** How a document is to be had. */
export type DocumentSource =
  /** As a file of this machine; what was asked for is for whoever sends it to see to. */
  | { kind: 'file'; root: string }
  /** At another address. */
  | { kind: 'redirect'; url: string }
  /** As bytes; what was asked for has been seen to, and is told by the status and headers of HTTP. */
  | { kind: 'stream'; status: number; headers: Record<string, string>; body: Readable | undefined };

/** The place of accepted documents. */
export interface DocumentStore {
  /** Makes the store ready. Throws if it cannot be written to. */
  prepare(): Promise<void>;
  /**
   * Takes a file out of quarantine, whole or not at all.
   * @returns its stored path, `<group>/<40 random characters>.<extension>`
   */
  keep(group: DocumentGroup, file: ReceivedFile): Promise<string>;
  /** Removes a document; it may be gone already. */
  remove(storedPath: string): Promise<void>;
  /**
   * Finds a document for reading.
   * @param storedPath of the form {@link STORED_PATH}
   * @returns undefined if there is none
   */
  read(storedPath: string, request: ReadRequest): Promise<DocumentSource | undefined>;
  /** All documents of a group, in any order; one that is stored or removed meanwhile may or may not be among them. */
  list(group: DocumentGroup): AsyncIterable<StoredDocument>;
  close(): Promise<void>;
}
