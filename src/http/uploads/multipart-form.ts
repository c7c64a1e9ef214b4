import busboy, { type Busboy } from 'busboy';
import type { Request } from 'express';
import type { ReceivedFile } from '../../documents/received-file.ts';
import { PayloadTooLargeError, UnsupportedMediaTypeError } from '../../errors/errors.ts';
import { isUtf8Name } from '../bodies/charset.ts';
import { malformedMultipart, openMultipartBody } from './multipart-body.ts';
import type { UploadLimits, Uploads } from './uploads.ts';

/** The fields of a form: texts and received files by name. If several have the same name, the last one counts, as in PHP. */
export type Form = Record<string, string | ReceivedFile>;

/** The field that names the encoding of a form's texts (RFC 7578 section 4.6). A browser fills it in. */
const CHARSET_FIELD = '_charset_';

/**
 * Reads a whole multipart/form-data body, and its files into quarantine (RFC 7578).
 * @param uploads receives the files, and discards them after the response unless they are taken
 * @throws BadRequestError if it cannot be parsed, is cut short or is not in UTF-8; PayloadTooLargeError if it is over a limit;
 *   RequestTimeoutError if it takes too long; ServiceUnavailableError if the disk is full
 */
export async function readMultipartForm(req: Request, uploads: Uploads, limits: UploadLimits): Promise<Form> {
  const texts = new Map<string, string>();
  const files = new Map<string, Promise<ReceivedFile>>();
  await parse(req, uploads, limits, (parser, fail) => {
    parser.on('field', (name, text, { valueTruncated }) => {
      if (valueTruncated) {
        fail(new PayloadTooLargeError('a form field over its limit'));
      } else if (name === CHARSET_FIELD && text !== '' && !isUtf8Name(text)) {
        fail(new UnsupportedMediaTypeError());
      } else {
        texts.set(name, text);
      }
    });
    parser.on('file', (name, part, { filename }) => {
      files.set(name, uploads.receive(part, filename ?? ''));
    });
  });
  const received = await Promise.all([...files].map(async ([name, file]) => [name, await file] as const));
  return Object.fromEntries([...texts, ...received.filter(([, file]) => !isEmptyFileField(file))]);
}

/** A browser sends this for an empty file input. */
const isEmptyFileField = ({ clientName, sizeBytes }: ReceivedFile): boolean =>
  clientName === '' && sizeBytes === 0;

type Listen = (parser: Busboy, fail: (error: Error) => void) => void;

/** Runs a body through busboy until both are done, or the first error. */
function parse(req: Request, uploads: Uploads, limits: UploadLimits, listen: Listen): Promise<void> {
  const parser = createParser(req, limits);
  const body = openMultipartBody(req, uploads, limits);
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      reject(error);
      body.destroy();
      parser.destroy();
    };
    const tooMany = () => fail(new PayloadTooLargeError('too many parts'));
    parser.on('filesLimit', tooMany).on('fieldsLimit', tooMany).on('partsLimit', tooMany);
    parser.on('error', (error) => fail(malformedMultipart(error)));
    parser.on('close', resolve);
    body.on('error', fail);
    listen(parser, fail);
    body.pipe(parser);
  });
}

function createParser(req: Request, limits: UploadLimits): Busboy {
  try {
    return busboy({
      headers: req.headers,
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
