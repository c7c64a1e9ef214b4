import { randomInt } from 'node:crypto';

const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Random characters for secrets and unguessable names, without modulo bias.
 * @param length the number of characters; 40 have 238 random bits
 */
export const randomBase62 = (length: number): string =>
  Array.from({ length }, () => BASE_62.charAt(randomInt(BASE_62.length))).join('');
