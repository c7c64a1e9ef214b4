import type { Readable } from 'node:stream';
import type { DocumentDigest } from './document-digest.ts';
import type { ReceivedFile } from './quarantine.ts';
import type { CredentialSettings } from './s3/credentials.ts';

/**
 * The three groups of documents (docs/contract.md, "Stored documents"). Each is a folder below the storage root and a
 * part of the URL.
 */
export const DOCUMENT_GROUPS = ['licenses', 'diplomas', 'certifications'] as const;
export type DocumentGroup = (typeof DOCUMENT_GROUPS)[number];

/** A document as a store lists it. */
export interface StoredDocument {
  /** `<group>/<name>` */
  path: string;
  storedAt: Date;
  sizeBytes: number;
}

/** Where the sweep puts documents before they are removed for good. Nothing in it is served. */
export interface DocumentTrash {
  /** Moves a document here. It is no error if it does not exist. After a kill it is in one of the two places, or in both. */
  put(storedPath: string): Promise<void>;
  /**
   * Moves a document back, as if it had been stored now. It never overwrites.
   * @returns false if the trash does not have it, or the store has one with this path
   */
  restore(storedPath: string): Promise<boolean>;
  /** Removes a document for good. It is no error if it does not exist. */
  remove(storedPath: string): Promise<void>;
  /** All documents here, in any order. `storedAt` is when each was moved. */
  list(): AsyncIterable<StoredDocument>;
}

/** The name of the file or object with the id of a store. */
export const STORE_ID_NAME = '.store-id';

/** The hidden folder of the trash, or the prefix of its keys. */
export const TRASH_FOLDER = '.trash';

/** No id has so many bytes. */
export const MAX_STORE_ID_BYTES = 256;

/** The HTTP headers of a request for a document that the store must obey (RFC 9110 sections 13 and 14). */
export interface ReadRequest {
  range: string | undefined;
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
  ifModifiedSince: string | undefined;
  ifUnmodifiedSince: string | undefined;
  ifRange: string | undefined;
  /** True if the reader cannot follow a redirect. */
  isStreamed?: boolean;
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
  /**
   * Copies a document of the legacy service into the store, completely or not at all. It replaces an earlier copy. When the
   * promise resolves, the copy survives a loss of power.
   * @param storedPath for which {@link isLegacyPath} is true
   * @param sourcePath a file of this machine; it is not changed
   * @returns what was stored
   * @throws an error of the file system or the bucket
   */
  place(storedPath: string, sourcePath: string): Promise<DocumentDigest>;
  /**
   * Reads a whole document, for example to verify it.
   * @param storedPath for which {@link isStoredPath} is true
   * @returns undefined if there is none
   * @throws an error of the file system or the bucket, also while reading
   */
  open(storedPath: string): Promise<Readable | undefined>;
  /**
   * Removes a document for good, from the trash too. It is no error if it does not exist.
   * @param storedPath for which {@link isStoredPath} is true
   */
  remove(storedPath: string): Promise<void>;
  /**
   * Finds a document for reading.
   * @param storedPath for which {@link isStoredPath} is true
   * @returns undefined if there is none
   */
  read(storedPath: string, request: ReadRequest): Promise<DocumentSource | undefined>;
  /** All documents of a group but legacy ones, in any order. The list may or may not have those that are stored or removed meanwhile. */
  list(group: DocumentGroup): AsyncIterable<StoredDocument>;
  readonly trash: DocumentTrash;
  /** The id of the database that the documents belong to; undefined if none is stored. */
  readId(): Promise<string | undefined>;
  /** Stores the id, in place of any other. If several processes do it at the same time, one of the ids stays. */
  writeId(id: string): Promise<void>;
  /** Signs its requests with other credentials from now on. Only a store that signs them has it. */
  takeCredentials?(credentials: CredentialSettings): void;
  close(): Promise<void>;
}
