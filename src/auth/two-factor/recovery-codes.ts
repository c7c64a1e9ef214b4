import { hash, randomInt } from 'node:crypto';
import { newId } from '../../stores/accounts.ts';
import type { FactorStore } from '../../stores/factors.ts';
import { asciiDigits } from '../text-rules.ts';

/*
 * Recovery codes: for somebody who has lost the authenticator app. Each works once.
 */

const COUNT = 10;
/** 24 letters and digits of 5 bits each: 120 bits, which need no slow hash. */
const SYMBOLS = 24;
const GROUP = 4;
/** Crockford's Base32: without I, L, O and U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

const SHAPE = new RegExp(`^[${ALPHABET}]{${SYMBOLS}}$`);
/** Far more than a code with a separator behind each letter. A longer text is not searched. */
const MAX_CHARACTERS = 100;

/** New recovery codes, and what is stored of them. */
export interface NewRecoveryCodes {
  /** In groups of four letters; the only copy. */
  plain: string[];
  /** SHA-256 of each, in hex. */
  digests: string[];
}

/**
 * Stores new recovery codes, which count as soon as the account names their id.
 * @returns the id, and the codes in plain text, the only copy
 */
export async function addRecoveryCodes(
  factors: FactorStore,
  accountId: string,
  createdAt: Date,
): Promise<{ id: string; plain: string[] }> {
  const id = newId();
  const { plain, digests } = newRecoveryCodes();
  await factors.insertCodes({ _id: id, accountId, kind: 'recovery codes', codes: digests, createdAt });
  return { id, plain };
}

export function newRecoveryCodes(): NewRecoveryCodes {
  const codes = Array.from({ length: COUNT }, newCode);
  return { plain: codes.map(inGroups), digests: codes.map(digestOf) };
}

/**
 * The stored form of a recovery code. Case, blanks, hyphens, the script of its digits, and letters that look like digits do not matter.
 * @param sent of any type
 * @returns undefined if it does not have the shape of one
 */
export function digestOfRecoveryCode(sent: unknown): string | undefined {
  if (typeof sent !== 'string' || sent.length > MAX_CHARACTERS) {
    return undefined;
  }
  const letters = asciiDigits(sent)
    .replace(/[\s\u2010-\u2015-]+/g, '')
    .toUpperCase();
  const code = letters.replace(/O/g, '0').replace(/[IL]/g, '1');
  return SHAPE.test(code) ? digestOf(code) : undefined;
}

const newCode = (): string =>
  Array.from({ length: SYMBOLS }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');

const inGroups = (code: string): string => code.replace(new RegExp(`.{${GROUP}}(?=.)`, 'g'), '$&-');

const digestOf = (code: string): string => hash('sha256', code);
