import { createReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { isDoc, isDocx } from './word-files.ts';

/** More than the bytes that may precede a PDF. */
const HEAD_BYTES = 2_048;

/** What has to be refused, whatever its name is. */
const OTHER = 'other';

/**
 * The type of a file by its content.
 * @returns the extension of an accepted type; {@link OTHER} for another known one, a script and mark-up; undefined if the content is
 *   unknown
 * @throws a file system error when the file cannot be read
 */
export async function detectType(filePath: string): Promise<string | undefined> {
  const head = await buffer(createReadStream(filePath, { end: HEAD_BYTES - 1 }));
  const hex = head.toString('hex');
  if (hex.startsWith('504b0304')) {
    return (await isDocx(filePath)) ? 'docx' : OTHER;
  }
  if (hex.startsWith('d0cf11e0a1b11ae1')) {
    return (await isDoc(filePath)) ? 'doc' : OTHER;
  }
  if (isHeic(head)) {
    return 'heic';
  }
  // Loaded by the first document: a gateway starts without its 60 files.
  const { fileTypeFromFile } = await import('file-type');
  const extension = (await fileTypeFromFile(filePath))?.ext;
  if ((extension === undefined || extension === 'pdf') && isPdf(head)) {
    return 'pdf';
  }
  if (extension === undefined) {
    return looksLikeScript(head) ? OTHER : undefined;
  }
  // An animated PNG begins with a picture that every program shows.
  const type = extension === 'apng' ? 'png' : extension;
  return HEADS.get(type)?.test(hex) ? type : OTHER;
}

/** The first bytes of pictures, in hex. file-type also skips a byte order mark or an ID3 tag before them; other programs may not. */
const HEADS = new Map([
  ['jpg', /^ffd8ff/],
  ['png', /^89504e470d0a1a0a/],
  ['webp', /^52494646.{8}57454250/],
  ['tif', /^(?:49492[ab]00|4d4d002[ab])/],
]);

/** A HEIF picture by its brands (ISO/IEC 23008-12): those of HEVC, or a general one, of which `mif2` is beside one of HEVC. */
const HEIC = /^.{4}ftyp(?:he(?:i[cxms]|v[cx])|m[is]f1|mif2.{4}(?:.{4})*?he(?:i[cxms]|v[cxms]))/s;

/** The box of the brands begins with its size. */
const isHeic = (head: Buffer): boolean =>
  head.length > 12 && HEIC.test(head.toString('latin1', 0, Math.max(12, head.readUInt32BE())));

const MAX_BYTES_BEFORE_PDF = 1_024;
/** How a printer is told that a job begins (PJL, "Universal Exit Language"). */
const JOB_START = '\u001b%-12345X';
const PDF = new RegExp(
  `^(?:\u00ef\u00bb\u00bf)?[\\t\\n\\f\\r ]*(?:${JOB_START})?(?:@PJL[^\\n]*\\n[\\t\\n\\f\\r ]*)*%PDF-`,
);

/** Scanners and programs write a byte order mark, blanks or commands of a printer before a PDF, and all readers skip them. */
function isPdf(head: Buffer): boolean {
  const [start = ''] = PDF.exec(head.toString('latin1')) ?? [];
  const before = start.slice(0, -'%PDF-'.length);
  return start !== '' && before.length <= MAX_BYTES_BEFORE_PDF && !/<|#!/.test(before);
}

const SCRIPT_OR_MARKUP = /^\s*(?:#!|<\?|<!|<(?:html|head|body|svg|script|iframe|img|a|style|meta|link)\b)/i;
const SCRIPT_BYTES = 512;

/** Scripts and mark-up have no signature that file-type knows, but a browser or a shell would run them. */
function looksLikeScript(head: Buffer): boolean {
  const isUtf16 = head[0] === 0xff && head[1] === 0xfe;
  const text = head.toString(isUtf16 ? 'utf16le' : 'utf8', 0, SCRIPT_BYTES).replace(/^\uFEFF/, '');
  return SCRIPT_OR_MARKUP.test(text);
}
