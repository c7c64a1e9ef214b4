import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Busboy } from 'busboy';
import type { Request, RequestHandler, Response } from 'express';
import type { GraphQLSchema } from 'graphql';
import { processRequest, Upload } from 'graphql-upload-minimal';
import { guardParser } from '../../patches/graphql-upload-minimal.ts';
import { BadRequestError, PayloadTooLargeError, ServiceError } from '../../system/errors.ts';
import { systemErrorCode } from '../../system/system-errors.ts';
import { type MultipartBody, openMultipartBody } from '../http/bodies/multipart-body.ts';
import { type UploadParts, Uploads } from '../http/bodies/uploads.ts';
import { requirePreflight } from './csrf.ts';
import { type GuardParts, UnrunnableOperationError, UploadGuard } from './upload-guard.ts';

export interface MultipartParts extends UploadParts, GuardParts {}

/**
 * Receives a GraphQL multipart request whole, before validation and resolvers run. All files go to quarantine concurrently,
 * and the variables have a ReceivedFile in place of each. With a stream in its place, the request would hang if a resolver
 * did not read it, read it late, or never ran.
 *
 * Files that the operation cannot use are not received, and neither are those of a rejected registration.
 */
export function multipartRequest(parts: MultipartParts, schema: GraphQLSchema): RequestHandler {
  return async (req, res, next) => {
    if (!req.is('multipart/form-data')) {
      return next();
    }
    requirePreflight(req);
    const uploads = new Uploads(parts, req, res);
    const body = openMultipartBody(req, uploads, parts.uploadLimits);
    const guard = new UploadGuard(parts, schema, { req, body });
    try {
      req.body = await receive({ req, res, body, guard, uploads }, parts);
    } catch (error) {
      body.destroy();
      const reason = body.errored ?? error;
      // Apollo reports the error of the operation. It does not need the files for that.
      if (!(reason instanceof UnrunnableOperationError)) {
        throw fromUploadError(reason);
      }
      req.body = reason.operations;
    }
    next();
  };
}

interface Exchange {
  req: Request;
  res: Response;
  body: MultipartBody;
  guard: UploadGuard;
  uploads: Uploads;
}

async function receive({ res, body, guard, uploads }: Exchange, parts: MultipartParts): Promise<unknown> {
  // No maxFileSize: beyond it, the library would leave the rest of the request unread. The quarantine has the limit.
  const { maxFieldBytes, maxFiles } = parts.uploadLimits;
  // The library's type is a request, but it uses only the stream and the headers.
  const request = body as Readable as IncomingMessage;
  const parsed = untilParsed(body, guard);
  const operation: unknown = await processRequest(request, res, { maxFieldSize: maxFieldBytes, maxFiles });
  // Nothing has read the files before, so none has been received.
  await guard.admitted;
  const places = findUploads(operation);
  await Promise.all(places.map((place) => replace(place, uploads)));
  // The files are whole, but the rest of the body may be broken or cut off. Such an operation must not run.
  await parsed;
  return operation;
}

/**
 * Waits for the end of the parser that the library makes.
 * @throws any error of the library or the parser, also one at the very end of the body
 */
function untilParsed(body: MultipartBody, guard: UploadGuard): Promise<void> {
  const parsed = new Promise<void>((resolve, reject) => {
    body.once('parser', (parser: Busboy) => {
      guardParser(parser, guard, (reason) => body.destroy(reason));
      parser.on('file', () => guard.file());
      finished(parser).then(resolve, reject);
    });
  });
  // The caller awaits it later. Until then, a failure is not an unhandled rejection.
  parsed.catch(() => {});
  return parsed;
}

/** A place in the operation where a file is expected. */
interface Place {
  parent: object;
  key: string;
  upload: Upload;
}

function findUploads(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([key, child]: [string, unknown]) =>
    child instanceof Upload ? [{ parent: value, key, upload: child }] : findUploads(child),
  );
}

async function replace({ parent, key, upload }: Place, uploads: Uploads): Promise<void> {
  const file = await upload.promise;
  const received = await uploads.receive(file.createReadStream(), nameOf(file));
  Reflect.set(parent, key, received);
}

/** A part without a file name may be a file because of its media type. The library's types do not know that. */
const nameOf = ({ filename }: { filename?: string }): string => filename ?? '';

/**
 * The library's errors have an HTTP status, but their texts name internals of the library. Errors of the operating system
 * are not the sender's fault.
 */
function fromUploadError(error: unknown): unknown {
  if (error instanceof ServiceError) {
    return error;
  }
  if (systemErrorCode(error) !== undefined) {
    return error;
  }
  const isTooLarge = error instanceof Error && 'status' in error && error.status === 413;
  if (isTooLarge) {
    return new PayloadTooLargeError(error.message);
  }
  const text =
    'The request body is not a valid GraphQL multipart request: operations, then map, then the files.';
  return new BadRequestError(text, { cause: error });
}
