import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import bcrypt from 'bcrypt';
import type { StoredAccessToken } from '../../src/stores/access-tokens.ts';
import type { TestDatabase } from './database.ts';
import { aPatient } from './people.ts';
import { rememberPassword, rememberToken } from './response-record.ts';

/** Forty characters in the form of Laravel's Str::random(40). */
const ENTROPY = '7qOQvXbRzM3iUcTgWd0LpKfYh5EaNsJt8wCnB2Gk';

/** A secret in the form of Sanctum 4: `sprintf('%s%s%s', $prefix, $entropy, hash('crc32b', $entropy))`. */
export const sanctumSecret = (prefix = '', entropy = ENTROPY): string =>
  `${prefix}${entropy}${crc32(entropy).toString(16).padStart(8, '0')}`;

/** The form in which Sanctum stores a secret. */
const sanctumHash = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/**
 * Imports a patient with the id of the legacy service.
 * @param fields `passwordHash`: by default a hash of PHP's password_hash, cost 4
 */
export async function importAccount(
  { accounts }: TestDatabase,
  id: string,
  fields: { password?: string; passwordHash?: string } = {},
) {
  const { name, email, password } = aPatient(fields);
  rememberPassword(password);
  const passwordHash = fields.passwordHash ?? (await phpHash(password));
  await accounts.insertOne({
    _id: id,
    name,
    email,
    emailKey: email.toLowerCase(),
    phone: null,
    role: 'patient',
    passwordHash,
    createdAt: new Date('2024-02-29T12:00:00Z'),
    disabledAt: null,
  });
  return { id, name, email, password, passwordHash };
}

const phpHash = async (password: string): Promise<string> =>
  (await bcrypt.hash(password, 4)).replace(/^\$2b\$/, '$2y$');

interface ImportedToken {
  id: string;
  accountId: string;
  expiresAt?: Date;
  secret?: string;
}

/** The record of a personal access token of Sanctum. */
export const importedToken = (token: ImportedToken): StoredAccessToken => {
  const { id, accountId, expiresAt = null, secret = sanctumSecret() } = token;
  return {
    _id: id,
    accountId,
    name: 'auth-token',
    secretHash: sanctumHash(secret),
    abilities: null,
    createdAt: new Date('2024-02-29T12:00:00Z'),
    lastUsedAt: null,
    expiresAt,
    idleExpiresAt: null,
    imported: true,
  };
};

/** Imports a personal access token of Sanctum and returns its plain text. */
export async function importToken({ tokens }: TestDatabase, token: ImportedToken): Promise<string> {
  const { id, secret = sanctumSecret() } = token;
  await tokens.insertOne(importedToken({ ...token, secret }));
  const plainText = `${id}|${secret}`;
  rememberToken(plainText);
  return plainText;
}
