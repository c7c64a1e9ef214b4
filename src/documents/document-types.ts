import { open } from 'node:fs/promises';
import path from 'node:path';
import { DOCUMENT_GROUPS } from './document-store.ts';
import type { ReceivedFile } from './quarantine.ts';

/**
 * `strict`: the content must carry the signature of the type that the extension declares (ASVS 5.0 item 5.2.2).
 * `signature`: content with a known signature must fit its extension; content without one is accepted.
 */
export type DocumentCheck = 'signature' | 'strict';

interface DocumentType {
  /** The name that file-type gives to the signature of its content. */
  signature: string;
  /** Matches the first bytes of its content, in hex. */
  head: RegExp;
  contentType: string;
  disposition: 'inline' | 'attachment';
}

const image = (signature: string, head: RegExp, contentType: string): DocumentType => ({
  signature,
  head,
  contentType,
  disposition: 'inline',
});

const jpeg = image('jpg', /^ffd8ff/, 'image/jpeg');
const tiff = image('tif', /^(?:49492[ab]00|4d4d002[ab])/, 'image/tiff');

/**
 * The accepted types by extension (docs/contract.md, "Documents"). Browsers show a PDF or an image in the page, and download
 * all other types.
 */
const TYPES = new Map<string, DocumentType>([
  ['pdf', { signature: 'pdf', head: /^255044462d/, contentType: 'application/pdf', disposition: 'inline' }],
  ['jpg', jpeg],
  ['jpeg', jpeg],
  ['png', image('png', /^89504e470d0a1a0a/, 'image/png')],
  ['webp', image('webp', /^52494646.{8}57454250/, 'image/webp')],
  ['heic', image('heic', /^.{8}66747970/, 'image/heic')],
  ['tif', tiff],
  ['tiff', tiff],
  [
    'doc',
    {
      signature: 'cfb',
      head: /^d0cf11e0a1b11ae1/,
      contentType: 'application/msword',
      disposition: 'attachment',
    },
  ],
  [
    'docx',
    {
      signature: 'docx',
      head: /^504b0304/,
      contentType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      disposition: 'attachment',
    },
  ],
]);

export const ACCEPTED_EXTENSIONS = [...TYPES.keys()];

/** The media type of a stored document, by its extension. */
export const contentTypeOf = (storedPath: string): string =>
  TYPES.get(extensionOf(storedPath))?.contentType ?? 'application/octet-stream';

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
  const disposition = TYPES.get(extension)?.disposition ?? 'attachment';
  // Others need quotes or an encoding, and are no extensions that a program knows.
  const end = /^[0-9a-z]{1,12}$/.test(extension) ? `.${extension}` : '';
  return `${disposition}; filename="${name}${end}"`;
}

/** The extension of a file name, in lower case and without the dot; empty if there is none. */
export const extensionOf = (fileName: string): string => path.extname(fileName).slice(1).toLowerCase();

/**
 * Checks by extension and content whether a received file is of an accepted type. A file over the limit is incomplete, so
 * its content is not checked; it is refused for its size.
 * @param file a file in quarantine
 * @param check how to treat content without the signature of its type
 * @throws a file system error when the file cannot be read
 */
export async function isAcceptedDocument(file: ReceivedFile, check: DocumentCheck): Promise<boolean> {
  const type = TYPES.get(extensionOf(file.clientName));
  if (type === undefined || file.sizeBytes === 0) {
    return false;
  }
  if (file.isOverLimit) {
    return true;
  }

  // Loaded by the first document: a gateway starts without its 60 files.
  const { fileTypeFromFile } = await import('file-type');
  const signature = await fileTypeFromFile(file.path);
  if (check === 'signature' && signature === undefined) {
    return !looksLikeScript(await headOf(file.path));
  }
  if (signature?.ext !== type.signature) {
    return false;
  }
  // file-type skips a byte order mark and an ID3 tag before the signature. Programs that open the document may not.
  return check === 'signature' || type.head.test((await headOf(file.path)).toString('hex'));
}

const HEAD_BYTES = 512;
const SCRIPT_OR_MARKUP = /^\s*(?:#!|<\?|<!|<(?:html|head|body|svg|script|iframe|img|a|style|meta|link)\b)/i;

async function headOf(filePath: string): Promise<Buffer> {
  const handle = await open(filePath);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Scripts and mark-up have no signature that file-type knows, but a browser or a shell would run them. */
function looksLikeScript(head: Buffer): boolean {
  const isUtf16 = head[0] === 0xff && head[1] === 0xfe;
  const text = head.toString(isUtf16 ? 'utf16le' : 'utf8').replace(/^\uFEFF/, '');
  return SCRIPT_OR_MARKUP.test(text);
}
