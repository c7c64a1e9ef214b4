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

/** The stored paths that an import has taken over from a legacy service. */
export const LEGACY_STORED_PATH =
  /^doctor_profiles\/(?:licenses|diplomas|certifications)\/[0-9A-Za-z]{40}\.[0-9A-Za-z]{1,5}$/;

/** A document as a store lists it. */
export interface StoredDocument {
  /** `<group>/<name>` */
  path: string;
  storedAt: Date;
}

/** The HTTP headers of a request for a document that the store must obey (RFC 9110 sections 13 and 14). */
export interface ReadRequest {
  range: string | undefined;
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
  ifModifiedSince: string | undefined;
  ifUnmodifiedSince: string | undefined;
  ifRange: string | undefined;
}

/** How to send a document to its reader. */
export type DocumentSource =
  /** A file of this machine. The sender must obey the headers of the request. */
  | { kind: 'file'; root: string }
  /** Another address. */
  | { kind: 'redirect'; url: string }
  /** Bytes. The store has obeyed the headers of the request; status and headers of the answer are its result. */
  | { kind: 'stream'; status: number; headers: Record<string, string>; body: Readable | undefined };

/** Stores accepted documents. */
export interface DocumentStore {
  /** Makes the store ready. Throws if it is not writable. */
  prepare(): Promise<void>;
  /**
   * Moves a file out of quarantine into the store, completely or not at all.
   * @returns its stored path, `<group>/<40 random characters>.<extension>`
   */
  keep(group: DocumentGroup, file: ReceivedFile): Promise<string>;
  /** Removes a document. It is no error if it does not exist. */
  remove(storedPath: string): Promise<void>;
  /**
   * Finds a document for reading.
   * @param storedPath of the form {@link STORED_PATH}
   * @returns undefined if there is none
   */
  read(storedPath: string, request: ReadRequest): Promise<DocumentSource | undefined>;
  /** All documents of a group, in any order. The list may or may not have those that are stored or removed meanwhile. */
  list(group: DocumentGroup): AsyncIterable<StoredDocument>;
  close(): Promise<void>;
}
