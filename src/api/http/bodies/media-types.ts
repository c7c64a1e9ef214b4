import { isAscii } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { Request, RequestHandler } from 'express';
import { UnsupportedMediaTypeError } from '../../../system/errors.ts';

export const JSON_TYPE = 'application/json';
export const URLENCODED_TYPE = 'application/x-www-form-urlencoded';
export const MULTIPART_TYPE = 'multipart/form-data';

/** The names of JSON that Laravel reads. No page of another site can send them without asking first. */
const JSON_NAME = /^\s*(?:application\/json|text\/json|[\w.+-]+\/[\w.+-]+\+json)\s*(?:;|$)/i;

/** True if a body is of one of the media types. Some programs send that of JSON twice in one header. */
export function isOfType(req: Request, types: readonly string[]): boolean {
  const members = req.headers['content-type']?.split(',') ?? [''];
  const isJson =
    types.includes(JSON_TYPE) && hasBody(req.headers) && members.every((type) => JSON_NAME.test(type));
  return isJson || Boolean(req.is([...types]));
}

/**
 * Refuses a body of another media type. Without this, its fields would just be missing, and the sender would not learn why.
 * @param types the media types that the endpoint reads; the error names them
 * @param unnamed more types that it reads. Their answers say what is missing, so the error does not suggest them
 * @throws UnsupportedMediaTypeError before any of the body is read
 */
export function onlyTypes(types: string[], unnamed: string[] = []): RequestHandler {
  const alternatives = types.join(', ').replace(/, ([^,]*)$/, types.length > 2 ? ', or $1' : ' or $1');
  const message = `The request body must be ${alternatives}.`;
  return (req, _res, next) => {
    if (hasBody(req.headers) && !isOfType(req, [...types, ...unnamed])) {
      throw new UnsupportedMediaTypeError({ message });
    }
    next();
  };
}

/** True if a request has a body. One of length 0 is none. */
const hasBody = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Every `charset` of a Content-Type, including `charset*` (RFC 2231). If there are two, a filter in front may use the other one. */
const CHARSETS = /;\s*charset[*\d]*\s*=\s*(?:"([^"]*)"|([^\s;]*))/gi;

/** How texts are read. ASCII is UTF-8, so only the check differs. */
export type TextCharset = 'utf-8' | 'ascii';

/**
 * The charset by its name. Java's libraries call ASCII texts ISO-8859-1. Others are refused (RFC 8259 section 8.1): in UTF-7 or
 * UTF-16, a filter in front of the gateway would see another text than the gateway reads.
 * @throws UnsupportedMediaTypeError
 */
export function charsetNamed(name: string): TextCharset {
  if (/^utf-?8$/i.test(name)) {
    return 'utf-8';
  }
  if (/^(?:us-ascii|iso-8859-1)$/i.test(name)) {
    return 'ascii';
  }
  throw new UnsupportedMediaTypeError();
}

/**
 * The charset of a request or a part; UTF-8 if it names none.
 * @param contentTypes their Content-Type. All charsets in them are checked
 * @throws UnsupportedMediaTypeError
 */
export function charsetOf(...contentTypes: string[]): TextCharset {
  const names = contentTypes.flatMap((type) => [...type.matchAll(CHARSETS)]);
  const charsets = names.map(([, quoted, plain = '']) => charsetNamed(quoted ?? plain));
  return charsets.includes('ascii') ? 'ascii' : 'utf-8';
}

/**
 * Checks texts before they are read as UTF-8.
 * @throws UnsupportedMediaTypeError for other bytes than ASCII, if that is their charset
 */
export function requireCharset(bytes: Buffer, charset: TextCharset): void {
  if (charset === 'ascii' && !isAscii(bytes)) {
    throw new UnsupportedMediaTypeError();
  }
}

/** Codings of RFC 9110 section 8.4.1 and the IANA registry. PHP ignores any other value of the header, and some programs send one. */
const CODINGS = ['gzip', 'x-gzip', 'deflate', 'compress', 'x-compress', 'br', 'zstd'];

/**
 * Checks the headers of a body before its sender is asked for it. A compressed one is refused: PHP would not inflate it either,
 * and a small one may be very large inside.
 * @returns the charset of its texts
 * @throws UnsupportedMediaTypeError
 */
export function checkContentHeaders({ headers, headersDistinct }: Request): TextCharset {
  const codings = headers['content-encoding']?.toLowerCase().split(',') ?? [];
  if (codings.some((coding) => CODINGS.includes(coding.trim()))) {
    throw new UnsupportedMediaTypeError({ message: 'The request body must not be compressed.' });
  }
  return charsetOf(...(headersDistinct['content-type'] ?? []));
}
