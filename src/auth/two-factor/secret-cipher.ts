import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { NoSecondFactorError, ServiceUnavailableError } from '../../system/errors.ts';

/** An encrypted secret, and the key that decrypts it. */
export interface EncryptedSecret {
  /** Version, initialisation vector, and the secret with its tag; the last two in base64url. */
  secret: string;
  keyId: string;
}

/** What a secret belongs to. Another record cannot have it (additional data of RFC 5116). */
interface SecretOwner {
  accountId: string;
  factorId: string;
}

interface Key {
  id: string;
  bytes: Buffer;
}

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const ID_BYTES = 8;
/** NIST SP 800-38D recommends 96 bits. They are random: one line of TWO_FACTOR_SECRET encrypts far fewer than 2^32 secrets. */
const IV_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1';
const PURPOSE = 'auth-gateway two-factor';

/**
 * Encrypts the secrets of authenticator apps, which the gateway must be able to read (OWASP ASVS 11.3.2). Each line of
 * TWO_FACTOR_SECRET gives a key (HKDF, RFC 5869): the first encrypts, all decrypt.
 */
export class SecretCipher {
  #keys: readonly Key[] = [];

  /** @param lines of TWO_FACTOR_SECRET; at least one */
  constructor(lines: readonly string[]) {
    this.replaceLines(lines);
  }

  /** Uses other lines from now on. */
  replaceLines(lines: readonly string[]): void {
    this.#keys = lines.map((line) => ({
      id: keyIdOf(line),
      bytes: derived(line, 'key', KEY_BYTES),
    }));
  }

  /** @param secret its bytes */
  encrypt(secret: Uint8Array, owner: SecretOwner): EncryptedSecret {
    const [key] = this.#keys;
    if (!key) {
      throw new ServiceUnavailableError('TWO_FACTOR_SECRET is not set');
    }
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, key.bytes, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(additionalData(owner));
    const sealed = Buffer.concat([cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
    const parts = [VERSION, iv.toString('base64url'), sealed.toString('base64url')];
    return { secret: parts.join('.'), keyId: key.id };
  }

  /**
   * @returns the bytes of the secret
   * @throws ServiceUnavailableError if no line decrypts it: that is never a reason to ask for no second factor
   */
  decrypt({ secret, keyId }: EncryptedSecret, owner: SecretOwner): Buffer {
    const key = this.#keys.find(({ id }) => id === keyId);
    if (!key) {
      throw new ServiceUnavailableError('TWO_FACTOR_SECRET lacks the line that a stored secret needs');
    }
    try {
      const [version, iv = '', sealed = ''] = String(secret).split('.');
      const bytes = Buffer.from(sealed, 'base64url');
      if (version !== VERSION || bytes.length <= TAG_BYTES) {
        throw new Error('the stored secret has another form');
      }
      const nonce = Buffer.from(iv, 'base64url');
      const decipher = createDecipheriv(ALGORITHM, key.bytes, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(additionalData(owner));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]);
    } catch (error) {
      throw new ServiceUnavailableError('the stored secret of an authenticator app was changed', error);
    }
  }

  /** True if the line that encrypts has changed since a secret was encrypted. */
  isOutdated({ keyId }: Pick<EncryptedSecret, 'keyId'>): boolean {
    return keyId !== this.#keys[0]?.id;
  }
}

const keyIdOf = (line: string): string => derived(line, 'id', ID_BYTES).toString('hex');

/** The ids of the keys of lines. They say nothing about the lines. */
export const keyIdsOf = (lines: readonly string[]): string[] => lines.map(keyIdOf);

const derived = (line: string, use: string, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', line, '', `${PURPOSE} ${use}`, bytes));

/** Lengths keep two pairs of ids apart that are equal when they are joined. */
const additionalData = ({ accountId, factorId }: SecretOwner): Buffer =>
  Buffer.from(JSON.stringify([accountId, factorId]));

/**
 * The cipher, without which there are no authenticator apps.
 * @param cipher undefined without TWO_FACTOR_SECRET
 * @throws NoSecondFactorError
 */
export function requireCipher(cipher: SecretCipher | undefined): SecretCipher {
  if (!cipher) {
    throw new NoSecondFactorError();
  }
  return cipher;
}
