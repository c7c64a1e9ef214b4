import { dictionary } from '@zxcvbn-ts/language-common';
import type { Plugin } from 'vite';

const ID = 'virtual:common-passwords';
/** About 9 kB when compressed; the whole list of 49,000 would be 200. */
const COUNT = 2000;
/** The gateway refuses shorter ones anyway. */
const MIN_CHARACTERS = 8;

/** Makes a module of the most common passwords, from the list that the gateway checks new passwords with. */
export function commonPasswords(): Plugin {
  const list = dictionary['passwords-common'].filter(({ length }) => length >= MIN_CHARACTERS);
  const module = `export const commonPasswords = ${JSON.stringify(list.slice(0, COUNT).join(' '))};`;
  return {
    name: 'common-passwords',
    resolveId: (id) => (id === ID ? `\0${ID}` : undefined),
    load: (id) => (id === `\0${ID}` ? module : undefined),
  };
}
