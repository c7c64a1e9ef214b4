import busboy, { type Busboy } from 'busboy';
import type { Request, RequestHandler } from 'express';
import { BadRequestError, PayloadTooLargeError, UnsupportedMediaTypeError } from '../../../system/errors.ts';
import { type BodyParts, bufferedBody, MAX_BODY_BYTES } from './buffered-body.ts';
import { isUtf8Name, refuseOtherCharsetsOfParts } from './charset.ts';

export const URLENCODED_TYPE = 'application/x-www-form-urlencoded';
export const MULTIPART_TYPE = 'multipart/form-data';

/** The texts of a form by name. If several have the same name, the last one counts, as in PHP. */
export type FormTexts = Map<string, string>;

/** The most that a form may have. */
export interface FormLimits {
  maxFiles: number;
  maxFields: number;
  /** A text must be shorter than this. */
  maxFieldBytes: number;
}

/** Twice the documents of a doctor, and more texts than any registration has. */
export const FORM_LIMITS: FormLimits = {
  maxFiles: 6,
  maxFields: 32,
  // busboy counts a field as cut off when it reaches its limit.
  maxFieldBytes: MAX_BODY_BYTES + 1,
};

/** The error for a multipart body that cannot be read: without a boundary, cut short, or with broken headers. */
export const malformedMultipart = (cause?: unknown): BadRequestError =>
  new BadRequestError('The request body is not valid multipart form data.', { cause });

const malformedUrlencoded = (cause?: unknown): BadRequestError =>
  new BadRequestError('The request body is not a valid form.', { cause });

/** The field that names the encoding of a form's texts (RFC 7578 section 4.6). A browser fills it in. */
const CHARSET_FIELD = '_charset_';

/** busboy puts this in place of every byte that is not UTF-8. */
const REPLACEMENT = '\ufffd';

/**
 * Collects the texts of a form.
 * @param malformed makes the error for a text that is not UTF-8
 * @param fail called with the error of a form that is refused
 */
export function collectTexts(
  parser: Busboy,
  malformed: (cause?: unknown) => Error,
  fail: (error: Error) => void,
): FormTexts {
  const texts: FormTexts = new Map();
  parser.on('field', (name, text: string | undefined, { valueTruncated }) => {
    // busboy cannot decode the charset of this part. refuseOtherCharsetsOfParts refuses the form.
    if (text === undefined) {
      return;
    }
    if (valueTruncated) {
      fail(new PayloadTooLargeError('a form field over its limit'));
    } else if (name === CHARSET_FIELD && text !== '' && !isUtf8Name(text)) {
      fail(new UnsupportedMediaTypeError());
    } else if (text.includes(REPLACEMENT)) {
      fail(malformed(new Error('a text that is not UTF-8')));
    } else {
      texts.set(name, text);
    }
  });
  return texts;
}

/** Calls `fail` if a form has more parts than it may have. */
export function refuseTooManyParts(parser: Busboy, fail: (error: Error) => void): void {
  const tooMany = () => fail(new PayloadTooLargeError('too many parts'));
  parser.on('filesLimit', tooMany).on('fieldsLimit', tooMany).on('partsLimit', tooMany);
}

/**
 * Makes a parser for the form of a request.
 * @throws BadRequestError for a Content-Type without a boundary
 */
export function formParser({ headers }: Request, limits: FormLimits): Busboy {
  try {
    return busboy({
      headers,
      defParamCharset: 'utf8',
      limits: {
        files: limits.maxFiles,
        fields: limits.maxFields,
        // busboy reports the last allowed part, not the first one beyond the limit.
        parts: limits.maxFiles + limits.maxFields + 1,
        fieldSize: limits.maxFieldBytes,
      },
    });
  } catch (error) {
    throw malformedMultipart(error);
  }
}

/**
 * The texts of a form that has been received. Files are ignored, as Laravel ignores them where no rule names them.
 * @throws BadRequestError if it cannot be parsed or is not UTF-8, PayloadTooLargeError if it has too many parts,
 *   UnsupportedMediaTypeError if a part has another charset
 */
async function parseForm(body: Buffer, req: Request): Promise<Record<string, string>> {
  const malformed = req.is(MULTIPART_TYPE) ? malformedMultipart : malformedUrlencoded;
  const parser = formParser(req, FORM_LIMITS);
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      reject(error);
      parser.destroy();
    };
    refuseOtherCharsetsOfParts(parser, fail);
    refuseTooManyParts(parser, fail);
    const texts = collectTexts(parser, malformed, fail);
    // A file that nobody reads would stop the parser.
    parser.on('file', (_name, file) => file.on('error', () => {}).resume());
    parser.on('error', (error) => fail(malformed(error)));
    parser.on('close', () => resolve(Object.fromEntries(texts)));
    parser.end(body);
  });
}

/** Reads the texts of a form, url-encoded or multipart. Names such as `a[b]` are names like any other: they make no objects. */
export const formBody = (parts: BodyParts): RequestHandler =>
  bufferedBody({ types: [URLENCODED_TYPE, MULTIPART_TYPE], parse: parseForm, ...parts });
