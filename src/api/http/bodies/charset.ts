import type { Busboy } from 'busboy';
import { UnsupportedMediaTypeError } from '../../../system/errors.ts';

/** Every `charset` of a Content-Type, including `charset*` (RFC 2231). If there are two, a filter in front may use the other one. */
const CHARSETS = /;\s*charset[*\d]*\s*=\s*(?:"([^"]*)"|([^\s;]*))/gi;

/** True if a charset name is that of UTF-8 or its alias. */
export const isUtf8Name = (charset: string): boolean => /^utf-?8$/i.test(charset);

/**
 * Refuses text in any encoding but UTF-8 (RFC 8259 section 8.1). In UTF-7 or UTF-16, a filter in front of the gateway would
 * see another text than the gateway reads.
 * @param contentType the header of a request or a part. All its charsets are checked; without a charset the text is UTF-8
 * @throws UnsupportedMediaTypeError
 */
export function refuseOtherCharsets(contentType: string): void {
  for (const [, quoted, plain = ''] of contentType.matchAll(CHARSETS)) {
    if (!isUtf8Name(quoted ?? plain)) {
      throw new UnsupportedMediaTypeError();
    }
  }
}

type PartHeaders = Readonly<Record<string, string[] | undefined>>;

/** busboy's internal reader of part headers. It has no public access to the charset that it decodes a text with. */
interface HeaderParser {
  cb(headers: PartHeaders): void;
}

/**
 * Refuses text parts of a multipart body in another encoding (RFC 7578 section 5.1.2), before busboy decodes them. Files
 * are bytes, so their charset does not matter.
 * @param fail called with an UnsupportedMediaTypeError
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
        if (files === filesBefore) {
          headers['content-type']?.forEach(refuseOtherCharsets);
        }
      } catch (error) {
        fail(error);
      }
    };
  };
  let current: HeaderParser | null = null;
  let isWatched = false;
  // busboy has one reader for all parts. It sets this property at the beginning of each part and clears it at the end.
  Object.defineProperty(parser, '_hparser', {
    get: () => current,
    set: (headerParser: HeaderParser | null) => {
      if (headerParser && !isWatched) {
        watch(headerParser);
      }
      isWatched ||= headerParser !== null;
      current = headerParser;
    },
  });
}
