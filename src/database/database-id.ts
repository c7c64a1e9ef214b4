import { createHash } from 'node:crypto';

const ID_CHARACTERS = 12;

/**
 * The id of a database, which its backups and its document store carry. It is the same as long as the database lives, also
 * after a move or a restore. It is no secret.
 * @param placesKey the stored secret `known-places`: random, and kept in the database
 * @returns hexadecimal
 */
export const databaseIdOf = (placesKey: Buffer): string =>
  // The words are part of the names of backups that exist.
  createHash('sha256').update('backups of ').update(placesKey).digest('hex').slice(0, ID_CHARACTERS);
