import { randomBytes } from 'node:crypto';
import type { Connection } from 'mongoose';
import { isDuplicateKey } from './database-errors.ts';

interface StoredSecret {
  _id: string;
  /** The secret in base64url. */
  value: string;
}

const BYTES = 32;

/**
 * A secret that all instances share. The first instance makes it, and it never changes.
 * @param name the purpose of the secret
 * @returns 32 random bytes
 */
export async function storedSecret({ db }: Connection, name: string): Promise<Buffer> {
  if (!db) {
    throw new Error('not open');
  }
  const secrets = db.collection<StoredSecret>('secrets');
  const value = randomBytes(BYTES).toString('base64url');
  const find = () => secrets.findOne({ _id: name });
  const make = () => secrets.insertOne({ _id: name, value });
  const found =
    (await find()) ??
    (await make().then(
      () => ({ value }),
      (error: unknown) => ifMadeMeanwhile(error, find),
    ));
  return Buffer.from(found.value, 'base64url');
}

async function ifMadeMeanwhile(
  error: unknown,
  find: () => Promise<StoredSecret | null>,
): Promise<StoredSecret> {
  const found = isDuplicateKey(error, '_id') ? await find() : null;
  if (!found) {
    throw error;
  }
  return found;
}
