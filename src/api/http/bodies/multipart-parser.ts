import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { BadRequestError, PayloadTooLargeError } from '../../../system/errors.ts';
import type { FormLimits } from '../request-limits.ts';
import { charsetOf, requireCharset, type TextCharset } from './media-types.ts';
import { type PartHeaders, partHeadersOf, UnreadableHeaderError } from './part-headers.ts';

/** Takes the parts of a form, in their order. An error that it throws ends the form. */
export interface PartReceiver {
  /** A part without a file name has come whole. */
  text(name: string, text: string): void;
  /**
   * A part with a file name begins.
   * @param content must be read to its end, so that the next parts can come
   * @param clientName the file name without folders; may be empty
   */
  file(name: string, content: Readable, clientName: string): void;
}

/**
 * The error for a multipart body that cannot be read.
 * @param reason is public; absent if the body has no boundary, is cut short, or a text is not UTF-8
 */
export const malformedMultipart = (reason = '', cause?: unknown): BadRequestError =>
  new BadRequestError(`The request body is not valid multipart form data${reason && `: ${reason}`}.`, {
    cause,
  });

/** RFC 2046 section 5.1.1 allows 70. */
const MAX_BOUNDARY_CHARACTERS = 256;
/** As much as the headers of a request. */
const MAX_HEADER_BYTES = 16_384;
/** The body waits while so much of a file has not been written. */
const FILE_BUFFER_BYTES = 65_536;

const [CRLF, LAST, END_OF_HEADERS] = [Buffer.from('\r\n'), Buffer.from('--'), Buffer.from('\r\n\r\n')];
const [TAB, LF, CR, BLANK] = [9, 10, 13, 32];

/**
 * Splits multipart/form-data into its parts (RFC 7578; RFC 2046 section 5.1.1), whatever the pieces are in which it comes. Nothing
 * is dropped but what RFC 2046 allows before the first and after the last delimiter.
 */
export class MultipartParser {
  /** The bytes that were handed on to files. All others stay in memory for a while. */
  fileBytes = 0;
  readonly #delimiter: Buffer;
  /** The delimiter without the line break before it. */
  readonly #dashes: Buffer;
  /** What has come and cannot be read before more comes: the beginning of a delimiter, or of headers. */
  #rest: Buffer = Buffer.alloc(0);
  /** True before the first byte of a content or an epilogue. A content then has the line break before it, too. */
  #isFresh = false;
  #name = '';
  #charset: TextCharset = 'utf-8';
  /** The file that is being read; undefined in a text. */
  #file: Readable | undefined;
  #texts: Buffer[] = [];
  #textBytes = 0;
  readonly #counts = { files: 0, fields: 0 };
  /** Files whose buffer is full. */
  readonly #full = new Set<Readable>();

  /**
   * @param form its Content-Type, and the charset of its texts
   * @param onDrain called when the parser is no longer full
   * @throws BadRequestError for a Content-Type without a boundary
   */
  constructor(
    private readonly form: { contentType: string | undefined; charset: TextCharset },
    private readonly limits: FormLimits,
    private readonly receiver: PartReceiver,
    private readonly onDrain: () => void = () => {},
  ) {
    const boundaries = [...(form.contentType ?? '').matchAll(/;\s*boundary\s*=\s*(?:"([^"]*)"|([^;]*))/gi)];
    const [boundary = '', ...others] = boundaries.map(([, quoted, plain = '']) => quoted ?? plain.trim());
    if (boundary === '' || boundary.length > MAX_BOUNDARY_CHARACTERS || others.length > 0) {
      throw malformedMultipart();
    }
    // Node.js makes a character of each byte of a header.
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
    this.#dashes = this.#delimiter.subarray(CRLF.length);
  }

  /** True while the content of a file waits for its reader. The caller should not write then. */
  get isFull(): boolean {
    return this.#full.size > 0;
  }

  /** @throws ServiceError, and what the receiver throws. The parser must not be used after that */
  write(chunk: Buffer): void {
    this.#rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    while (this.#step()) {
      // Each step reads one thing, and returns false if it needs more bytes.
    }
  }

  /** @throws BadRequestError if the last delimiter has not come */
  end(): void {
    if (this.#step !== this.#readEpilogue) {
      throw malformedMultipart('', new Error('the form is cut short'));
    }
  }

  /** Ends the file that is being read. */
  destroy(reason: Error): void {
    this.#file?.destroy(reason);
  }

  readonly #skipLineBreaks = (): boolean => {
    const start = this.#rest.findIndex((byte) => byte !== CR && byte !== LF);
    // With a line break before it, the first delimiter is like all others.
    this.#rest = start === -1 ? this.#rest.subarray(0, 0) : Buffer.concat([CRLF, this.#rest.subarray(start)]);
    return start !== -1 && this.#next(this.#findFirst);
  };
  #step = this.#skipLineBreaks;

  readonly #findFirst = (): boolean => {
    const at = this.#rest.indexOf(this.#dashes);
    if (at === -1) {
      this.#rest = this.#rest.subarray(1 - this.#delimiter.length);
      return false;
    }
    if (!this.#rest.subarray(at - CRLF.length, at).equals(CRLF)) {
      throw malformedMultipart('the first delimiter does not begin a line');
    }
    return this.#next(this.#endDelimiter, at + this.#dashes.length);
  };

  readonly #endDelimiter = (): boolean => {
    const end = this.#rest.subarray(0, 2);
    if (end.length < 2) {
      return false;
    }
    if (!end.equals(CRLF) && !end.equals(LAST)) {
      throw malformedMultipart('a delimiter is followed by other text');
    }
    this.#isFresh = true;
    return this.#next(end.equals(CRLF) ? this.#readHeaders : this.#readEpilogue, 2);
  };

  readonly #readEpilogue = (): boolean => {
    const [first] = this.#rest;
    if (this.#isFresh && first !== undefined && ![TAB, LF, CR, BLANK].includes(first)) {
      throw malformedMultipart('a delimiter is followed by other text');
    }
    if (this.#rest.includes(this.#dashes)) {
      throw malformedMultipart('a delimiter follows the last one');
    }
    this.#isFresh &&= first === undefined;
    this.#rest = this.#rest.subarray(1 - this.#delimiter.length);
    return false;
  };

  readonly #readHeaders = (): boolean => {
    const end = this.#rest.indexOf(END_OF_HEADERS);
    const block = this.#rest.subarray(0, end === -1 ? undefined : end);
    if (block.length > MAX_HEADER_BYTES) {
      throw malformedMultipart('the headers of a part are too long');
    }
    if (block.includes(this.#delimiter) || block.indexOf(this.#dashes) === 0) {
      throw malformedMultipart('a delimiter stands within the headers of a part');
    }
    if (end === -1) {
      return false;
    }
    try {
      this.#beginPart(partHeadersOf(block.toString()));
    } catch (error) {
      throw error instanceof UnreadableHeaderError ? malformedMultipart(error.message, error) : error;
    }
    return this.#next(this.#readContent, end + CRLF.length);
  };

  #beginPart({ name, fileName, type }: PartHeaders): void {
    this.#counts[fileName === undefined ? 'fields' : 'files'] += 1;
    if (this.#counts.files > this.limits.maxFiles || this.#counts.fields > this.limits.maxFields) {
      throw new PayloadTooLargeError('too many parts');
    }
    this.#name = name;
    if (fileName === undefined) {
      this.#charset = charsetOf(type) === 'ascii' ? 'ascii' : this.form.charset;
      return;
    }
    const drain = () => {
      if (this.#full.delete(file) && !this.isFull) {
        this.onDrain();
      }
    };
    const file = new Readable({ highWaterMark: FILE_BUFFER_BYTES, read: drain }).once('close', drain);
    // The form may end with an error before anybody reads the file. Without a listener, that would end the process.
    this.#file = file.on('error', () => {});
    this.receiver.file(name, file, fileName);
  }

  readonly #readContent = (): boolean => {
    const start = this.#isFresh ? CRLF.length : 0;
    const at = this.#rest.indexOf(this.#delimiter);
    const end = at === -1 ? this.#endOfContent() : at;
    if (at === 0 && this.#isFresh) {
      throw malformedMultipart('a delimiter stands within the headers of a part');
    }
    if (end < start) {
      return false;
    }
    this.#isFresh = false;
    this.#take(this.#rest.subarray(start, end));
    if (at === -1) {
      this.#rest = this.#rest.subarray(end);
      return false;
    }
    this.#endPart();
    return this.#next(this.#endDelimiter, at + this.#delimiter.length);
  };

  /** Where a delimiter may begin of which the end has not come. */
  #endOfContent(): number {
    const { length } = this.#rest;
    let at = this.#rest.indexOf(CR, Math.max(0, length - this.#delimiter.length + 1));
    while (at !== -1 && !this.#delimiter.subarray(0, length - at).equals(this.#rest.subarray(at))) {
      at = this.#rest.indexOf(CR, at + 1);
    }
    return at === -1 ? length : at;
  }

  #take(content: Buffer): void {
    if (this.#file) {
      this.fileBytes += content.length;
      if (content.length > 0 && !this.#file.push(content)) {
        this.#full.add(this.#file);
      }
      return;
    }
    this.#textBytes += content.length;
    if (this.#textBytes > this.limits.maxFieldBytes) {
      throw new PayloadTooLargeError('a form field over its limit');
    }
    this.#texts.push(content);
  }

  #endPart(): void {
    if (this.#file) {
      this.#file.push(null);
      this.#file = undefined;
      return;
    }
    const bytes = Buffer.concat(this.#texts);
    [this.#texts, this.#textBytes] = [[], 0];
    requireCharset(bytes, this.#charset);
    if (!isUtf8(bytes)) {
      throw malformedMultipart('', new Error('a text that is not UTF-8'));
    }
    this.receiver.text(this.#name, bytes.toString());
  }

  #next(step: () => boolean, readBytes = 0): boolean {
    this.#rest = this.#rest.subarray(readBytes);
    this.#step = step;
    return true;
  }
}
