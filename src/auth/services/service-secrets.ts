import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { randomBase62 } from '../../system/random.ts';

/** The secrets of the services that may ask, by service id. A service has two secrets while one is being replaced. */
export type ServiceSecrets = ReadonlyMap<string, readonly SecretDigest[]>;

/** SHA-256 of a secret. Its random bits need no slow hash. */
export type SecretDigest = Buffer;

/** What a service presents. */
export interface ServiceCredentials {
  id: string;
  secret: string;
}

/** The ids are labels of metrics and words of the log. */
export const SERVICE_ID = /^[\w.-]{1,64}$/;

/** 238 random bits, as in an access token. */
const SECRET_CHARACTERS = 40;
/** A shorter secret may be guessed, so it is not accepted even if its digest is right (RFC 6819 section 5.1.4.2.2). */
const MIN_SECRET_CHARACTERS = 32;

export const secretDigest = (secret: string): SecretDigest => createHash('sha256').update(secret).digest();

/** Makes a secret for a service. Only its digest is stored. */
export const generateServiceSecret = (): string => randomBase62(SECRET_CHARACTERS);

/** Equals the digest of no secret that anybody knows. */
const UNKNOWN = randomBytes(secretDigest('').length);

/**
 * Compares credentials in constant time. An unknown id costs a comparison, too.
 * @returns undefined if they are right, otherwise the reason for the audit trail
 */
export function faultOf({ id, secret }: ServiceCredentials, secrets: ServiceSecrets): string | undefined {
  const presented = secretDigest(secret);
  const stored = secrets.get(id);
  const isRight = (stored ?? [UNKNOWN]).filter((digest) => timingSafeEqual(digest, presented)).length > 0;
  if (stored === undefined) {
    return 'unknown service';
  }
  if (!isRight) {
    return 'wrong secret';
  }
  return secret.length < MIN_SECRET_CHARACTERS
    ? `a secret of fewer than ${MIN_SECRET_CHARACTERS} characters`
    : undefined;
}
