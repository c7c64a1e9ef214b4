import { randomInt } from 'node:crypto';

const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Random characters for secrets and unguessable names, without modulo bias.
 * @param length how many; 40 carry 238 bits
 */
export const randomBase62 = (length: number): string =>
  Array.from({ length }, () => BASE_62.charAt(randomInt(BASE_62.length))).join('');
