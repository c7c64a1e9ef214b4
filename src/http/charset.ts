import type { Busboy } from 'busboy';
import { BadRequestError } from '../errors.ts';

/** Every `charset` of a Content-Type, as it is written: whatever is in front may go by the other of two. */
const CHARSETS = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/gi;

/** Whether the name of a charset is that of UTF-8, or its alias. */
export const isUtf8Name = (charset: string): boolean => /^utf-?8$/i.test(charset);

/** Text in another encoding than UTF-8. */
export const unsupportedCharset = (): BadRequestError =>
  new BadRequestError('Unsupported Media Type', { status: 415 });

/**
 * Refuses text in any encoding but UTF-8 (RFC 8259 section 8.1): a filter in front of the gateway would see another text
 * in UTF-7 or UTF-16 than the gateway reads.
 * @param contentType of a request or a part; without a charset it is UTF-8
 * @throws BadRequestError with status 415
 */
export function refuseOtherCharsets(contentType = ''): void {
  for (const [, quoted, plain = ''] of contentType.matchAll(CHARSETS)) {
    if (!isUtf8Name(quoted ?? plain)) throw unsupportedCharset();
  }
}

type PartHeaders = Readonly<Record<string, string[] | undefined>>;

/** busboy's own reader of the headers of a part: it has no public way to the charset that it decodes a text by. */
interface HeaderParser {
  cb(headers: PartHeaders): void;
}

/**
 * Refuses parts of a multipart body that are text in another encoding (RFC 7578 section 5.1.2), before busboy decodes
 * them. Files are bytes, whatever charset they name.
 * @param fail is called with a BadRequestError of status 415
 */
export function refuseOtherCharsetsOfParts(parser: Busboy, fail: (error: unknown) => void): void {
  let files = 0;
  parser.on('file', () => {
    files += 1;
  });
  const watch = (headerParser: HeaderParser) => {
    const { cb } = headerParser;
    headerParser.cb = (headers) => {
      const filesBefore = files;
      cb.call(headerParser, headers);
      try {
        if (files === filesBefore) headers['content-type']?.forEach(refuseOtherCharsets);
      } catch (error) {
        fail(error);
      }
    };
  };
  let current: HeaderParser | null = null;
  let isWatched = false;
  // There is one for all parts, which busboy sets here at the beginning of each, and unsets at its end.
  Object.defineProperty(parser, '_hparser', {
    get: () => current,
    set: (headerParser: HeaderParser | null) => {
      if (headerParser && !isWatched) watch(headerParser);
      isWatched ||= headerParser !== null;
      current = headerParser;
    },
  });
}
