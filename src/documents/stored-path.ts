import { randomBase62 } from '../system/random.ts';
import type { DocumentGroup } from './document-store.ts';

const NAME_CHARACTERS = 40;

/** The form of the stored path of every registration here. The sweep looks at no other files of a store. */
export const STORED_PATH = /^(?:licenses|diplomas|certifications)\/[0-9A-Za-z]{40}\.[a-z]{3,4}$/;

/** The folder of the documents of the legacy service, which an import copies. */
export const LEGACY_FOLDER = 'doctor_profiles';

/** The path of a document that a legacy row has no path for. It leads to none: a profile always names a license and a diploma. */
export const NO_DOCUMENT = `${LEGACY_FOLDER}/`;

/** The name that Laravel's `store` makes. It guesses the extension from the content; there is none if it has no guess. */
const RANDOM_NAME = /^[0-9A-Za-z]{40}(?:\.[0-9A-Za-z]{1,12})?$/;

/** What no name of a document has: a dot at its beginning, a slash of any system, a control character, half a surrogate. */
const REFUSED_IN_NAMES = /^\.|[\\/]|[\p{Cc}\p{Cs}]/u;

/** The limit of file systems. It counts bytes of UTF-8. */
const MAX_NAME_BYTES = 255;

/** A key of S3 has at most 1,024 bytes. */
const MAX_PATH_BYTES = 1_000;

/**
 * A new path that cannot be guessed.
 * @param extension one of the accepted ones
 */
export const newStoredPath = (group: DocumentGroup, extension: string): string =>
  `${group}/${randomBase62(NAME_CHARACTERS)}.${extension}`;

/**
 * True for the path of a document of the legacy service: any names below its folder, in folders of any depth, as Laravel's
 * `storeAs` makes them. Callers know these paths from URLs, so they stay as they are.
 */
export function isLegacyPath(storedPath: string): boolean {
  if (storedPath.length > MAX_PATH_BYTES || Buffer.byteLength(storedPath) > MAX_PATH_BYTES) {
    return false;
  }
  const [folder, ...names] = storedPath.split('/');
  return folder === LEGACY_FOLDER && names.length > 0 && names.every(isName);
}

const isName = (name: string): boolean =>
  name !== '' && !REFUSED_IN_NAMES.test(name) && Buffer.byteLength(name) <= MAX_NAME_BYTES;

/** True for the stored path of a document. Other files in a store are no documents: they are not served. */
export const isStoredPath = (storedPath: string): boolean =>
  STORED_PATH.test(storedPath) || isLegacyPath(storedPath);

/**
 * True if the name of a document is random: nobody can guess its URL, and it is never used for another content. A file with any
 * other name may be replaced in the legacy service.
 * @param storedPath for which {@link isStoredPath} is true
 */
export const hasRandomName = (storedPath: string): boolean =>
  RANDOM_NAME.test(storedPath.slice(storedPath.lastIndexOf('/') + 1));

/** @throws Error for any other path. It may come from a strange database, so it must not lead out of the store */
export function requireLegacyPath(storedPath: string): void {
  if (!isLegacyPath(storedPath)) {
    throw new Error('not the path of a legacy document');
  }
}

/** @throws Error for any other path. It may come from a strange database, so it must not lead out of the store */
export function requireStoredPath(storedPath: string): void {
  if (!isStoredPath(storedPath)) {
    throw new Error('not the path of a document');
  }
}

/** Percent-encodes all but the unreserved characters of RFC 3986 section 2.3, as signatures of S3 need it. */
const encodeName = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/**
 * The path of a URL for any text that is stored as a path. That of another form leads to no document, and not out of the folder:
 * readers resolve `..`, also as `%2e%2e`, so its dots are encoded twice.
 */
export const toUrlPath = (storedPath: string): string =>
  storedPath
    .split('/')
    .map((name) => (/^\.{1,2}$/.test(name) ? name.replaceAll('.', '%252E') : encodeName(name)))
    .join('/');

/**
 * The stored path in the path of a URL. Each name is decoded once, and must be one after that.
 * @param urlPath as it was sent
 * @returns undefined if no document can have it
 */
export function fromUrlPath(urlPath: string): string | undefined {
  try {
    const names = urlPath.split('/').map(decodeURIComponent);
    const storedPath = names.join('/');
    // The URL of a document that was uploaded here needs no encoding, so it has one spelling.
    const isOtherSpelling = STORED_PATH.test(storedPath) && storedPath !== urlPath;
    const isPath = names.every((name) => !name.includes('/')) && isStoredPath(storedPath);
    return isPath && !isOtherSpelling ? storedPath : undefined;
  } catch {
    // What is no percent-encoded UTF-8, such as overlong forms, is no name.
    return undefined;
  }
}
