import type { Busboy } from 'busboy';
import type { Request } from 'express';
import type { ReceivedFile } from '../../../documents/quarantine.ts';
import {
  collectTexts,
  type FormTexts,
  formParser,
  malformedMultipart,
  refuseTooManyParts,
} from '../bodies/form-body.ts';
import { openMultipartBody } from './multipart-body.ts';
import type { UploadLimits, Uploads } from './uploads.ts';

/** The fields of a form: texts and received files by name. If several have the same name, the last one counts, as in PHP. */
export type Form = Record<string, string | ReceivedFile>;

/**
 * Reads a whole multipart/form-data body, and its files into quarantine (RFC 7578).
 * @param uploads receives the files, and discards them after the response unless they are taken
 * @throws BadRequestError if it cannot be parsed, is cut short or is not in UTF-8; PayloadTooLargeError if it is over a limit;
 *   RequestTimeoutError if it takes too long; ServiceUnavailableError if the disk is full
 */
export async function readMultipartForm(req: Request, uploads: Uploads, limits: UploadLimits): Promise<Form> {
  const files = new Map<string, Promise<ReceivedFile>>();
  const texts = await parse(req, uploads, limits, (parser) => {
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

/** Runs a body through busboy until both are done, or the first error. */
function parse(
  req: Request,
  uploads: Uploads,
  limits: UploadLimits,
  listen: (parser: Busboy) => void,
): Promise<FormTexts> {
  const parser = formParser(req, limits);
  const body = openMultipartBody(req, uploads, limits);
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      reject(error);
      body.destroy();
      parser.destroy();
    };
    refuseTooManyParts(parser, fail);
    const texts = collectTexts(parser, malformedMultipart, fail);
    parser.on('error', (error) => fail(malformedMultipart(error)));
    parser.on('close', () => resolve(texts));
    body.on('error', fail);
    listen(parser);
    body.pipe(parser);
  });
}
