import { open } from 'node:fs/promises';
import path from 'node:path';
import { fileTypeFromFile } from 'file-type';
import type { ReceivedFile } from './received-file.ts';

/**
 * `signature`: content with a known signature must fit its extension; content without one is taken on trust.
 * `strict`: content without a known signature is refused as well.
 */
export type DocumentCheck = 'signature' | 'strict';

/** The accepted extensions (design section 1), each with the signatures (file-type's names) that fit it. */
const SIGNATURES_BY_EXTENSION: Readonly<Record<string, readonly string[]>> = {
  pdf: ['pdf'],
  jpg: ['jpg'],
  jpeg: ['jpg'],
  png: ['png'],
  webp: ['webp'],
  heic: ['heic'],
  tif: ['tif'],
  tiff: ['tif'],
  doc: ['cfb'],
  docx: ['docx'],
};

export const ACCEPTED_EXTENSIONS = Object.keys(SIGNATURES_BY_EXTENSION);

/** What each is called in HTTP. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  heic: 'image/heic',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
};

/** The media type of a stored document, by its extension. */
export const contentTypeOf = (storedPath: string): string =>
  CONTENT_TYPES[extensionOf(storedPath)] ?? 'application/octet-stream';

/** What is for download; all else is a pdf or an image, and may be shown in place. */
const ATTACHMENT_EXTENSIONS = new Set(['doc', 'docx']);

/** Whether a browser is to show a stored document in place or to offer it for download. */
export const dispositionOf = (storedPath: string): 'inline' | 'attachment' =>
  ATTACHMENT_EXTENSIONS.has(extensionOf(storedPath)) ? 'attachment' : 'inline';

/** The extension of a file name, in lower case and without the dot; empty where there is none. */
export const extensionOf = (fileName: string): string => path.extname(fileName).slice(1).toLowerCase();

/**
 * Tells whether a received file is of an accepted type, by its extension and its content.
 * @param file a file in quarantine
 * @param check what to think of content without a known signature
 * @throws a file system error when the file cannot be read
 */
export async function isAcceptedDocument(file: ReceivedFile, check: DocumentCheck): Promise<boolean> {
  const extension = extensionOf(file.clientName);
  const fitting = Object.hasOwn(SIGNATURES_BY_EXTENSION, extension)
    ? SIGNATURES_BY_EXTENSION[extension]
    : undefined;
  if (fitting === undefined || file.sizeBytes === 0) return false;

  const signature = await fileTypeFromFile(file.path);
  if (signature !== undefined) return fitting.includes(signature.ext);
  return check === 'signature' && !(await looksLikeScript(file.path));
}

const HEAD_BYTES = 512;
const SCRIPT_OR_MARKUP = /^\s*(?:#!|<\?|<!|<(?:html|head|body|svg|script|iframe|img|a|style|meta|link)\b)/i;

/** Scripts and mark-up carry no signature that file-type knows, yet a browser or a shell would run them. */
async function looksLikeScript(filePath: string): Promise<boolean> {
  const handle = await open(filePath);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const head = buffer.subarray(0, bytesRead);
    const isUtf16 = head[0] === 0xff && head[1] === 0xfe;
    const text = head.toString(isUtf16 ? 'utf16le' : 'utf8').replace(/^\uFEFF/, '');
    return SCRIPT_OR_MARKUP.test(text);
  } finally {
    await handle.close();
  }
}
