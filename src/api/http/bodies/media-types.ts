import type { IncomingHttpHeaders } from 'node:http';
import type { Busboy } from 'busboy';
import type { RequestHandler } from 'express';
import { onPartHeaders } from '../../../patches/busboy-part-headers.ts';
import { UnsupportedMediaTypeError } from '../../../system/errors.ts';

export const JSON_TYPE = 'application/json';
export const URLENCODED_TYPE = 'application/x-www-form-urlencoded';
export const MULTIPART_TYPE = 'multipart/form-data';

/**
 * Refuses a body of another media type. Without this, its fields would just be missing, and the sender would not learn why.
 * @param types the media types that the endpoint reads; the error names them
 * @param unnamed more types that it reads. Their answers say what is missing, so the error does not suggest them
 * @throws UnsupportedMediaTypeError before any of the body is read
 */
export function onlyTypes(types: string[], unnamed: string[] = []): RequestHandler {
  const message = `The request body must be ${alternatives(types)}.`;
  return (req, _res, next) => {
    if (hasBody(req.headers) && !req.is([...types, ...unnamed])) {
      throw new UnsupportedMediaTypeError({ message });
    }
    next();
  };
}

/** Such as "a, b, or c". `Intl.ListFormat` would load tables of languages, which takes 20 ms of every start. */
function alternatives(texts: readonly string[]): string {
  const [last, ...others] = texts.toReversed();
  const comma = others.length > 1 ? ',' : '';
  return others.length > 0 ? `${others.reverse().join(', ')}${comma} or ${last}` : `${last}`;
}

/** True if a request has a body. One of length 0 is none. */
const hasBody = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

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

/**
 * Refuses text parts of a multipart body in another encoding (RFC 7578 section 5.1.2), before busboy decodes them. Files
 * are bytes, so their charset does not matter.
 * @param fail called with an UnsupportedMediaTypeError
 */
export function refuseOtherCharsetsOfParts(parser: Busboy, fail: (error: unknown) => void): void {
  onPartHeaders(parser, (headers, isFile) => {
    try {
      if (!isFile) {
        headers['content-type']?.forEach(refuseOtherCharsets);
      }
    } catch (error) {
      fail(error);
    }
  });
}
