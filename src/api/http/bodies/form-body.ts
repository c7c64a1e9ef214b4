import { isUtf8 } from 'node:buffer';
import type { Request, RequestHandler } from 'express';
import type { ReceivedFile } from '../../../documents/quarantine.ts';
import { BadRequestError, PayloadTooLargeError } from '../../../system/errors.ts';
import { FORM_LIMITS, type UploadLimits } from '../request-limits.ts';
import { type BodyParts, bufferedBody } from './buffered-body.ts';
import {
  charsetNamed,
  MULTIPART_TYPE,
  requireCharset,
  type TextCharset,
  URLENCODED_TYPE,
} from './media-types.ts';
import { MultipartBody } from './multipart-body.ts';
import { MultipartParser, malformedMultipart } from './multipart-parser.ts';
import type { Uploads } from './uploads.ts';

/** Reads the texts of a form, url-encoded or multipart. Names such as `a[b]` are names like any other: they make no objects. */
export const formBody = (parts: BodyParts): RequestHandler =>
  bufferedBody({ types: [URLENCODED_TYPE, MULTIPART_TYPE], parse: parseForm, ...parts });

/**
 * The texts of a form that has been received. Files are ignored, as Laravel ignores them where no rule names them.
 * @throws BadRequestError if it cannot be parsed or is not UTF-8, PayloadTooLargeError if it has too many parts,
 *   UnsupportedMediaTypeError if a part has another charset
 */
function parseForm(body: Buffer, charset: TextCharset, req: Request): Record<string, string> {
  if (!req.is(MULTIPART_TYPE)) {
    return readUrlencoded(body, charset);
  }
  const texts = new FormTexts(malformedMultipart);
  const parser = new MultipartParser({ contentType: req.headers['content-type'], charset }, FORM_LIMITS, {
    text: (name, text) => texts.add(name, text),
    file: (_name, content) => content.resume(),
  });
  parser.write(body);
  parser.end();
  return texts.fields();
}

/** Reads a url-encoded form (the URL standard, section 5.1), but refuses what that would repair. */
function readUrlencoded(body: Buffer, charset: TextCharset): Record<string, string> {
  if (!isUtf8(body)) {
    throw malformedUrlencoded();
  }
  const fields = body
    .toString()
    .split('&')
    .filter((field) => field !== '');
  if (fields.length > FORM_LIMITS.maxFields) {
    throw new PayloadTooLargeError('too many fields');
  }
  const texts = new FormTexts(malformedUrlencoded);
  for (const field of fields) {
    const [name = '', ...values] = field.split('=');
    const text = decoded(values.join('='));
    requireCharset(Buffer.from(text), charset);
    texts.add(decoded(name), text);
  }
  return texts.fields();
}

/** @throws BadRequestError for a broken escape, and for bytes that are not UTF-8 */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (error) {
    throw malformedUrlencoded(error);
  }
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
  const texts = new FormTexts(malformedMultipart);
  const files = new Map<string, Promise<ReceivedFile>>();
  await new MultipartBody(req, uploads, limits).read({
    text: (name, text) => texts.add(name, text),
    file: (name, content, clientName) => files.set(name, uploads.receive(content, clientName)),
  });
  const received = await Promise.all([...files].map(async ([name, file]) => [name, await file] as const));
  const sent = received.filter(([, file]) => !isEmptyFileField(file));
  return { ...texts.fields(), ...Object.fromEntries(sent) };
}

/** A browser sends this for an empty file input. */
const isEmptyFileField = ({ clientName, sizeBytes }: ReceivedFile): boolean =>
  clientName === '' && sizeBytes === 0;

/** The field that names the encoding of a form's texts (RFC 7578 section 4.6). A browser fills it in. */
const CHARSET_FIELD = '_charset_';

/** The texts of a form by name. */
class FormTexts {
  readonly #texts = new Map<string, string>();
  #charset: TextCharset = 'utf-8';

  /** @param malformed makes the error for a text with U+FFFD, which programs put in place of bytes that are not UTF-8 */
  constructor(private readonly malformed: () => Error) {}

  add(name: string, text: string): void {
    if (text.includes('\ufffd')) {
      throw this.malformed();
    }
    if (name === CHARSET_FIELD && text !== '') {
      this.#charset = charsetNamed(text);
    }
    this.#texts.set(name, text);
  }

  /** @throws UnsupportedMediaTypeError if the texts are not in the encoding that the form names */
  fields(): Record<string, string> {
    requireCharset(Buffer.from([...this.#texts.values()].join()), this.#charset);
    return Object.fromEntries(this.#texts);
  }
}
