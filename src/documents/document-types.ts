import { open } from 'node:fs/promises';
import path from 'node:path';
import { fileTypeFromFile } from 'file-type';
import type { ReceivedFile } from './received-file.ts';

/**
 * `signature`: content with a known signature must fit its extension; content without one is taken on trust.
 * `strict`: content without a known signature is refused as well.
 */
export type DocumentCheck = 'signature' | 'strict';

interface DocumentType {
  /** file-type's name of the signature that its content carries. */
  signature: string;
  contentType: string;
  disposition: 'inline' | 'attachment';
}

const image = (signature: string, contentType: string): DocumentType => ({
  signature,
  contentType,
  disposition: 'inline',
});

/** The accepted types by extension (design section 1). A pdf or an image may be shown in place, all else is for download. */
const TYPES = new Map<string, DocumentType>([
  ['pdf', { signature: 'pdf', contentType: 'application/pdf', disposition: 'inline' }],
  ['jpg', image('jpg', 'image/jpeg')],
  ['jpeg', image('jpg', 'image/jpeg')],
  ['png', image('png', 'image/png')],
  ['webp', image('webp', 'image/webp')],
  ['heic', image('heic', 'image/heic')],
  ['tif', image('tif', 'image/tiff')],
  ['tiff', image('tif', 'image/tiff')],
  ['doc', { signature: 'cfb', contentType: 'application/msword', disposition: 'attachment' }],
  [
    'docx',
    {
      signature: 'docx',
      contentType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      disposition: 'attachment',
    },
  ],
]);

export const ACCEPTED_EXTENSIONS = [...TYPES.keys()];

/** The media type of a stored document, by its extension. */
export const contentTypeOf = (storedPath: string): string =>
  TYPES.get(extensionOf(storedPath))?.contentType ?? 'application/octet-stream';

/** Whether a browser is to show a stored document in place or to offer it for download. */
export const dispositionOf = (storedPath: string): 'inline' | 'attachment' =>
  TYPES.get(extensionOf(storedPath))?.disposition ?? 'attachment';

/** The extension of a file name, in lower case and without the dot; empty where there is none. */
export const extensionOf = (fileName: string): string => path.extname(fileName).slice(1).toLowerCase();

/**
 * Tells whether a received file is of an accepted type, by its extension and its content.
 * @param file a file in quarantine
 * @param check what to think of content without a known signature
 * @throws a file system error when the file cannot be read
 */
export async function isAcceptedDocument(file: ReceivedFile, check: DocumentCheck): Promise<boolean> {
  const type = TYPES.get(extensionOf(file.clientName));
  if (type === undefined || file.sizeBytes === 0) return false;

  const signature = await fileTypeFromFile(file.path);
  if (signature !== undefined) return signature.ext === type.signature;
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
