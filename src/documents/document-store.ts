import type { ReceivedFile } from './received-file.ts';

/** The three groups of contract section 2; each is a folder below the storage root and a part of the URL. */
export const DOCUMENT_GROUPS = ['licenses', 'diplomas', 'certifications'] as const;
export type DocumentGroup = (typeof DOCUMENT_GROUPS)[number];

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
}
