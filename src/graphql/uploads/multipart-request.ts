import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Busboy } from 'busboy';
import type { Request, RequestHandler, Response } from 'express';
import type { GraphQLSchema } from 'graphql';
import { processRequest, Upload } from 'graphql-upload-minimal';
import type { AuthService } from '../../auth/auth-service.ts';
import { BadRequestError, PayloadTooLargeError, ServiceError } from '../../errors/errors.ts';
import { type MultipartBody, openMultipartBody } from '../../http/uploads/multipart-body.ts';
import { type UploadParts, Uploads } from '../../http/uploads/uploads.ts';
import { systemErrorCode } from '../../system/system-errors.ts';
import { PREFLIGHT_HEADERS } from '../csrf.ts';
import { OperationGuard, UnfitOperation } from '../operation-guard.ts';
import { guardFields } from './upload-map.ts';

export interface MultipartParts extends UploadParts {
  auth: Pick<AuthService, 'admitRegistration'>;
}

/**
 * Receives a GraphQL multipart request whole, before any resolver or validation runs: every file goes to quarantine,
 * concurrently, and stands in the variables as a ReceivedFile. A stream in its place would stall the request whenever
 * a resolver does not read it, reads it late, or never runs.
 *
 * Files that the operation cannot use are not received, and neither are those of a refused registration.
 */
export function multipartRequest(parts: MultipartParts, schema: GraphQLSchema): RequestHandler {
  return async (req, res, next) => {
    if (!req.is('multipart/form-data')) return next();
    // Apollo checks the same again, but only after the files would have been written.
    if (!PREFLIGHT_HEADERS.some((name) => req.get(name))) {
      const names = PREFLIGHT_HEADERS.join(', ');
      throw new BadRequestError(`A multipart request must carry one of the headers ${names}.`);
    }
    const uploads = new Uploads(parts, req, res);
    const body = openMultipartBody(req, uploads, parts.uploadLimits);
    const guard = new OperationGuard(parts, schema, { req, body });
    try {
      req.body = await receive({ req, res, body, guard, uploads }, parts);
    } catch (error) {
      body.destroy();
      const reason = body.errored ?? error;
      // Apollo reports the error of the operation. It does not need the files for that.
      if (!(reason instanceof UnfitOperation)) throw fromUploadError(reason);
      req.body = reason.operations;
    }
    next();
  };
}

interface Exchange {
  req: Request;
  res: Response;
  body: MultipartBody;
  guard: OperationGuard;
  uploads: Uploads;
}

async function receive({ res, body, guard, uploads }: Exchange, parts: MultipartParts): Promise<unknown> {
  // No maxFileSize: past it, the library would leave the rest of the request unread. The quarantine has the limit.
  const { maxFieldBytes, maxFiles } = parts.uploadLimits;
  // It says it wants a request; what it uses of one is the stream and its headers.
  const request = body as Readable as IncomingMessage;
  const parsed = untilParsed(body, guard);
  const operation: unknown = await processRequest(request, res, { maxFieldSize: maxFieldBytes, maxFiles });
  // Until then nothing reads the files, so they are not received.
  await guard.admitted;
  const places = findUploads(operation);
  await Promise.all(places.map((place) => replace(place, uploads)));
  // The files are whole; what is behind them may still be broken or cut off, and is then not to be acted upon.
  await parsed;
  return operation;
}

/**
 * Waits for the end of the parser that the library makes.
 * @throws what the library or the parser finds wrong with the body, at its very end too
 */
function untilParsed(body: MultipartBody, guard: OperationGuard): Promise<void> {
  const parsed = new Promise<void>((resolve, reject) => {
    body.once('parser', (parser: Busboy) => {
      refuseWhatIsIgnored(parser, body);
      guardFields(parser, guard, (reason) => body.destroy(reason));
      parser.on('file', () => guard.file());
      finished(parser).then(resolve, reject);
    });
  });
  // Whoever waits for it sees the failure; the library usually tells of it before.
  parsed.catch(() => {});
  return parsed;
}

/**
 * What the library passes over in silence. A second file of one name would be read by nobody and stall the request; a
 * third text field would be dropped. And it listens to the first error of its parser alone: a part with a broken header
 * makes two of them, and the second would end the process.
 */
function refuseWhatIsIgnored(parser: Busboy, body: MultipartBody): void {
  const names = new Set<string>();
  parser.on('file', (name) => {
    if (names.has(name)) body.destroy(new BadRequestError('A file must not be sent twice under one name.'));
    names.add(name);
  });
  parser.on('error', () => {});
  parser.on('fieldsLimit', () => {
    body.destroy(new BadRequestError('A multipart request has two text fields: operations and map.'));
  });
}

/** Where in the operation a file is expected. */
interface Place {
  parent: object;
  key: string;
  upload: Upload;
}

function findUploads(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]: [string, unknown]) =>
    child instanceof Upload ? [{ parent: value, key, upload: child }] : findUploads(child),
  );
}

async function replace({ parent, key, upload }: Place, uploads: Uploads): Promise<void> {
  const file = await upload.promise;
  const received = await uploads.receive(file.createReadStream(), nameOf(file));
  Reflect.set(parent, key, received);
}

/** A part may be a file by its media type alone, without a name; the library's types do not know that. */
const nameOf = ({ filename }: { filename?: string }): string => filename ?? '';

/**
 * The library's errors carry an HTTP status; its texts speak of fields that only it knows. An error of the system is
 * not the sender's fault.
 */
function fromUploadError(error: unknown): unknown {
  if (error instanceof ServiceError) return error;
  if (systemErrorCode(error) !== undefined) return error;
  const isTooLarge = error instanceof Error && 'status' in error && error.status === 413;
  if (isTooLarge) return new PayloadTooLargeError(error.message);
  return new BadRequestError('The request body is not a valid GraphQL multipart request.', { cause: error });
}
