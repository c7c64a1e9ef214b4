import path from 'node:path';
import { isEmailAddress } from '../auth/email-address.ts';
import type { Brand } from '../system/brand.ts';
import { HTTPS, isText, type JsonRules, readJsonFile } from './json-file.ts';
import type { SettingsReader } from './settings-reader.ts';
import { readSmallFile } from './small-file.ts';

/** The name of a service for people. `\p{C}` has the characters that are invisible or turn the direction of a text. */
export const SERVICE_NAME = /^(?=.*\S)[^\p{C}]{1,64}$/u;
export const SERVICE_NAME_SHAPE = 'one line of up to 64 characters';

const TELEPHONE = /^\+?\d[\d ()/.-]{1,30}\d$/;

const RULES: JsonRules = {
  name: { isRight: isText((text) => SERVICE_NAME.test(text)), must: SERVICE_NAME_SHAPE, isRequired: true },
  contact: {
    isRight: isText((text) => TELEPHONE.test(text) || isEmailAddress(text)),
    must: 'an e-mail address or a telephone number',
  },
  imprint: HTTPS,
  privacy: HTTPS,
  accent: { isRight: isText((text) => /^#[\da-f]{6}$/i.test(text)), must: 'a colour such as #0b6e69' },
  picture: { isRight: isText((text) => text !== ''), must: 'the path of a PNG file' },
};

/** Reads BRAND_FILE. @returns undefined if it is not set, or there is a problem */
export function readBrand(read: SettingsReader): Brand | undefined {
  const file = readJsonFile<Omit<Brand, 'picture'> & { picture?: string }>(read, 'BRAND_FILE', RULES);
  if (file?.values.picture === undefined) {
    return file?.values as Brand | undefined;
  }
  const name = path.resolve(file.folder, file.values.picture);
  const bytes = readSmallFile(name);
  if (typeof bytes !== 'string' && isPng(bytes)) {
    return { ...file.values, picture: bytes };
  }
  const problem =
    typeof bytes === 'string' ? bytes : `is not a PNG of up to ${MAX_PIXELS} × ${MAX_PIXELS} pixels`;
  file.report(`key "picture" names ${name}, which ${problem}`);
  return undefined;
}

const SIGNATURE = '89504e470d0a1a0a';
/** Some kilobytes can be a picture that takes gigabytes of memory when it is drawn. */
const MAX_PIXELS = 2048;

/** True for a whole PNG with nothing after its end (PNG, third edition, section 5). What is in its chunks is the browser's concern. */
function isPng(bytes: Buffer): boolean {
  const names: string[] = [];
  let at = SIGNATURE.length / 2;
  while (at + 12 <= bytes.length && names.at(-1) !== 'IEND') {
    names.push(bytes.toString('latin1', at + 4, at + 8));
    at += 12 + bytes.readUInt32BE(at);
  }
  const isWhole =
    bytes.toString('hex').startsWith(SIGNATURE) && at === bytes.length && names.at(-1) === 'IEND';
  const isSmall = (pixels: number) => pixels >= 1 && pixels <= MAX_PIXELS;
  return isWhole && names[0] === 'IHDR' && [16, 20].every((place) => isSmall(bytes.readUInt32BE(place)));
}
