import path from 'node:path';
import { detectType } from './detect-type.ts';
import { DOCUMENT_GROUPS } from './document-store.ts';
import type { ReceivedFile } from './quarantine.ts';

/**
 * `strict`: the content must be of an accepted type (ASVS 5.0 item 5.2.2).
 * `signature`: content without a known signature is accepted, too, and its type is that of the name.
 */
export type DocumentCheck = 'signature' | 'strict';

const jpeg = 'image/jpeg';
const tiff = 'image/tiff';

/** The media types of the accepted documents by extension (docs/contract.md, "Documents"). */
const TYPES = new Map([
  ['pdf', 'application/pdf'],
  ['jpg', jpeg],
  ['jpeg', jpeg],
  ['png', 'image/png'],
  ['webp', 'image/webp'],
  ['heic', 'image/heic'],
  ['tif', tiff],
  ['tiff', tiff],
  ['doc', 'application/msword'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
]);

/** Browsers show a PDF or an image in the page, and download all other types. */
const SHOWN = /^image\/|\/pdf$/;

export const ACCEPTED_EXTENSIONS = [...TYPES.keys()];

/** The media type of a stored document, by its extension. */
export const contentTypeOf = (storedPath: string): string =>
  TYPES.get(extensionOf(storedPath)) ?? 'application/octet-stream';

/**
 * The Content-Disposition of a stored document: whether a browser shows or downloads it, and under which name (RFC 6266, ASVS
 * 5.0 item 5.4.1). The name is generated, such as `license.pdf`, and contains nothing that a client sent. Without it,
 * browsers would save the random name of the URL, and that name is enough to read a public document.
 * @param storedPath `<group>/<name>.<extension>`, or that of a legacy document, which may have other folders, and another
 *   extension or none
 */
export function contentDispositionOf(storedPath: string): string {
  const folders = storedPath.split('/').slice(0, -1);
  const name = DOCUMENT_GROUPS.find((group) => folders.includes(group))?.replace(/s$/, '') ?? 'document';
  const extension = extensionOf(storedPath);
  const disposition = SHOWN.test(TYPES.get(extension) ?? '') ? 'inline' : 'attachment';
  // Others need quotes or an encoding, and are no extensions that a program knows.
  const end = /^[0-9a-z]{1,12}$/.test(extension) ? `.${extension}` : '';
  return `${disposition}; filename="${name}${end}"`;
}

/** The extension of a file name, in lower case and without the dot; empty if there is none. */
export const extensionOf = (fileName: string): string => path.extname(fileName).slice(1).toLowerCase();

/** Names that web servers run, refused whatever the content is: those of Laravel's rule `mimes`, with PHP's blanks at the end. */
const PHP_NAME = /\.(?:php[34578]?|phtml|phar)[\s\0]*$/i;

/**
 * Checks by its content whether a received file is of an accepted type, and sets the extension under which it is stored. A file over
 * the limit is incomplete, so its content is not checked; it is refused for its size.
 * @param file a file in quarantine
 * @param check how to treat a content without a known signature
 * @throws a file system error when the file cannot be read
 */
export async function isAcceptedDocument(file: ReceivedFile, check: DocumentCheck): Promise<boolean> {
  if (PHP_NAME.test(file.clientName) || file.sizeBytes === 0) {
    return false;
  }
  if (file.isOverLimit) {
    return true;
  }
  const named = extensionOf(file.clientName);
  const detected = (await detectType(file.path)) ?? (check === 'signature' ? named : '');
  const type = TYPES.get(detected);
  // A type may have two extensions, and that of the name may be one of them.
  file.extension = type && type === TYPES.get(named) ? named : detected;
  return type !== undefined;
}
