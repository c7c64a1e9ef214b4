import { randomBytes } from 'node:crypto';
import { Schema } from 'mongoose';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import { Store } from './store.ts';

interface StoredSecret {
  /** The purpose of the secret. */
  _id: string;
  /** The secret in base64url. */
  value: string;
}

export const secretSchema = new Schema<StoredSecret>(
  { _id: { type: String, required: true }, value: { type: String, required: true } },
  { collection: 'secrets' },
);

const BYTES = 32;

const bytesOf = ({ value }: StoredSecret): Buffer => Buffer.from(value, 'base64url');

/** Secrets that all instances share. The first instance makes each, and it never changes. */
export class SecretStore extends Store<StoredSecret> {
  constructor(database: LimitedConnection) {
    super(database, secretSchema);
  }

  /**
   * @param name the purpose of the secret
   * @returns 32 random bytes
   */
  async findOrMake(name: string): Promise<Buffer> {
    const make = () => ({ _id: name, value: randomBytes(BYTES).toString('base64url') });
    return bytesOf(await this.records.findOrInsert(name, make));
  }

  /** As {@link findOrMake}, but it changes nothing: undefined if no instance has made the secret yet. */
  async find(name: string): Promise<Buffer | undefined> {
    const found = await this.records.first({ _id: name });
    return found ? bytesOf(found) : undefined;
  }
}
