import { randomBytes } from 'node:crypto';
import type { Connection } from 'mongoose';
import { dbOf } from './db-of.ts';
import { findOrInsert } from './find-or-insert.ts';

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
export async function storedSecret(connection: Connection, name: string): Promise<Buffer> {
  const secrets = dbOf(connection).collection<StoredSecret>('secrets');
  const make = () => ({ _id: name, value: randomBytes(BYTES).toString('base64url') });
  const { value } = await findOrInsert(secrets, name, make);
  return Buffer.from(value, 'base64url');
}
