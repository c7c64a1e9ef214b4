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

const secretsOf = (connection: Connection) => dbOf(connection).collection<StoredSecret>('secrets');

const bytesOf = ({ value }: StoredSecret): Buffer => Buffer.from(value, 'base64url');

/**
 * A secret that all instances share. The first instance makes it, and it never changes.
 * @param name the purpose of the secret
 * @returns 32 random bytes
 */
export async function storedSecret(connection: Connection, name: string): Promise<Buffer> {
  const make = () => ({ _id: name, value: randomBytes(BYTES).toString('base64url') });
  return bytesOf(await findOrInsert(secretsOf(connection), name, make));
}

/** As {@link storedSecret}, but it changes nothing: undefined if no instance has made the secret yet. */
export async function findSecret(connection: Connection, name: string): Promise<Buffer | undefined> {
  const found = await secretsOf(connection).findOne({ _id: name });
  return found ? bytesOf(found) : undefined;
}
