import { randomBase62 } from '../system/random.ts';
import type { DocumentGroup } from './document-store.ts';

const NAME_CHARACTERS = 40;

/**
 * A new path that cannot be guessed. It keeps only the extension of the client's file name.
 * @param extension one of the accepted ones
 */
export const newStoredPath = (group: DocumentGroup, extension: string): string =>
  `${group}/${randomBase62(NAME_CHARACTERS)}.${extension}`;
