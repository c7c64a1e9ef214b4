import type { Busboy } from 'busboy';
import busboy from 'busboy';
import type { Request, RequestHandler } from 'express';
import type { ReceivedFile } from '../../../documents/quarantine.ts';
import { BadRequestError, PayloadTooLargeError, UnsupportedMediaTypeError } from '../../../system/errors.ts';
import { FORM_LIMITS, type FormLimits, type UploadLimits } from '../request-limits.ts';
import { type BodyParts, bufferedBody } from './buffered-body.ts';
import { isUtf8Name, MULTIPART_TYPE, refuseOtherCharsetsOfParts, URLENCODED_TYPE } from './media-types.ts';
import { malformedMultipart, openMultipartBody } from './multipart-body.ts';
import type { Uploads } from './uploads.ts';

/** Reads the texts of a form, url-encoded or multipart. Names such as `a[b]` are names like any other: they make no objects. */
export const formBody = (parts: BodyParts): RequestHandler =>
  bufferedBody({ types: [URLENCODED_TYPE, MULTIPART_TYPE], parse: parseForm, ...parts });

/**
 * The texts of a form that has been received. Files are ignored, as Laravel ignores them where no rule names them.
 * @throws BadRequestError if it cannot be parsed or is not UTF-8, PayloadTooLargeError if it has too many parts,
 *   UnsupportedMediaTypeError if a part has another charset
 */
async function parseForm(body: Buffer, req: Request): Promise<Record<string, string>> {
  const malformed = req.is(MULTIPART_TYPE) ? malformedMultipart : malformedUrlencoded;
  const parser = formParser(req, FORM_LIMITS);
  const texts = await readTexts(parser, {
    malformed,
    start: (fail) => {
      refuseOtherCharsetsOfParts(parser, fail);
      // A file that nobody reads would stop the parser.
      parser.on('file', (_name, file) => file.on('error', () => {}).resume());
      parser.end(body);
    },
  });
  return Object.fromEntries(texts);
}

const malformedUrlencoded = (cause?: unknown): BadRequestError =>
  new BadRequestError('The request body is not a valid form.', { cause });

/** The fields of a form: texts and received files by name. If several have the same name, the last one counts, as in PHP. */
type Form = Record<string, string | ReceivedFile>;

/**
 * Reads a whole multipart/form-data body, and its files into quarantine (RFC 7578).
 * @param uploads receives the files, and discards them after the response unless they are taken
 * @throws BadRequestError if it cannot be parsed, is cut short or is not in UTF-8; PayloadTooLargeError if it is over a limit;
 *   RequestTimeoutError if it takes too long; ServiceUnavailableError if the disk is full
 */
export async function readMultipartForm(req: Request, uploads: Uploads, limits: UploadLimits): Promise<Form> {
  const files = new Map<string, Promise<ReceivedFile>>();
  const parser = formParser(req, limits);
  const body = openMultipartBody(req, uploads, limits);
  const texts = await readTexts(parser, {
    malformed: malformedMultipart,
    start: (fail) => {
      body.on('error', fail);
      parser.on('file', (name, part, { filename }) => {
        files.set(name, uploads.receive(part, filename ?? ''));
      });
      body.pipe(parser);
    },
    stop: () => body.destroy(),
  });
  const received = await Promise.all([...files].map(async ([name, file]) => [name, await file] as const));
  return Object.fromEntries([...texts, ...received.filter(([, file]) => !isEmptyFileField(file))]);
}

/** A browser sends this for an empty file input. */
const isEmptyFileField = ({ clientName, sizeBytes }: ReceivedFile): boolean =>
  clientName === '' && sizeBytes === 0;

/**
 * Makes a parser for the form of a request.
 * @throws BadRequestError for a Content-Type without a boundary
 */
function formParser({ headers }: Request, limits: FormLimits): Busboy {
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

/** The texts of a form by name. If several have the same name, the last one counts, as in PHP. */
type FormTexts = Map<string, string>;

type Fail = (error: unknown) => void;

/** How a parser gets its form. */
interface FormSource {
  /** Makes the error for a form that cannot be parsed, or for a text that is not UTF-8. */
  malformed(cause?: unknown): Error;
  /** Sends the form to the parser. */
  start(fail: Fail): void;
  /** Called before the parser is destroyed because of an error. */
  stop?(): void;
}

/** Runs a parser until its end or the first error, and collects the texts. */
function readTexts(parser: Busboy, { malformed, start, stop }: FormSource): Promise<FormTexts> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      reject(error);
      stop?.();
      parser.destroy();
    };
    refuseTooManyParts(parser, fail);
    const texts = collectTexts(parser, malformed, fail);
    parser.on('error', (error) => fail(malformed(error)));
    parser.on('close', () => resolve(texts));
    start(fail);
  });
}

function refuseTooManyParts(parser: Busboy, fail: Fail): void {
  const tooMany = () => fail(new PayloadTooLargeError('too many parts'));
  parser.on('filesLimit', tooMany).on('fieldsLimit', tooMany).on('partsLimit', tooMany);
}

/** The field that names the encoding of a form's texts (RFC 7578 section 4.6). A browser fills it in. */
const CHARSET_FIELD = '_charset_';

/** busboy puts this in place of every byte that is not UTF-8. */
const REPLACEMENT = '\ufffd';

function collectTexts(parser: Busboy, malformed: FormSource['malformed'], fail: Fail): FormTexts {
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
