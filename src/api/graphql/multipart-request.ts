import type { Readable } from 'node:stream';
import type { RequestHandler } from 'express';
import type { GraphQLSchema } from 'graphql';
import { Upload } from 'graphql-upload-minimal';
import type { ReceivedFile } from '../../documents/quarantine.ts';
import { BadRequestError } from '../../system/errors.ts';
import { MULTIPART_TYPE } from '../http/bodies/media-types.ts';
import { MultipartBody } from '../http/bodies/multipart-body.ts';
import type { PartReceiver } from '../http/bodies/multipart-parser.ts';
import { type UploadParts, Uploads } from '../http/bodies/uploads.ts';
import { requirePreflight } from './csrf.ts';
import { type GuardParts, UnrunnableOperationError, UploadGuard } from './upload-guard.ts';
import { type Place, placesByName } from './upload-map.ts';

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
    if (!req.is(MULTIPART_TYPE)) {
      return next();
    }
    requirePreflight(req);
    const uploads = new Uploads(parts, req, res);
    const body = new MultipartBody(req, uploads, parts.uploadLimits);
    const guard = new UploadGuard(parts, schema, { req, body });
    const receiver = new OperationReceiver(guard, uploads);
    try {
      await body.read(receiver);
      req.body = await receiver.operations();
    } catch (reason) {
      // A registration has been counted before its answer, also with a broken body.
      await guard.admitted;
      // Apollo reports the error of the operation. It does not need the files for that.
      if (!(reason instanceof UnrunnableOperationError)) {
        throw reason;
      }
      req.body = reason.operations;
    }
    next();
  };
}

const ORDER = 'operations, then map, then the files';

const malformedRequest = (cause?: unknown): BadRequestError =>
  new BadRequestError(`The request body is not a valid GraphQL multipart request: ${ORDER}.`, { cause });

/** The library's types lack the methods of its class, and know only streams. */
interface ExpectedFile {
  promise: Promise<ReceivedFile>;
  resolve(file: ReceivedFile): void;
  reject(reason: unknown): void;
}

/**
 * Puts an operation together from the parts of its request: operations, then map, then the files.
 * https://github.com/jaydenseric/graphql-multipart-request-spec
 */
class OperationReceiver implements PartReceiver {
  #operations: object | undefined;
  /** The places of each file, by the name of its part; undefined before the map. */
  #places: ReadonlyMap<string, Place[]> | undefined;
  readonly #files = new Map<string, ExpectedFile>();

  constructor(
    private readonly guard: UploadGuard,
    private readonly uploads: Uploads,
  ) {}

  text(name: string, text: string): void {
    if (this.#places?.has(name)) {
      throw new BadRequestError('A file of the map has no file name.');
    }
    if (name === 'operations' && !this.#operations) {
      this.#operations = objectIn(text);
      this.guard.operations(this.#operations);
    } else if (name === 'map' && this.#operations && !this.#places) {
      this.#places = placesByName(this.#operations, objectIn(text));
      this.guard.places([...this.#places.values()].flat().length);
    } else {
      throw malformedRequest();
    }
  }

  file(name: string, content: Readable, clientName: string): void {
    if (!this.#places) {
      throw malformedRequest();
    }
    this.guard.file();
    if (!this.#places.has(name) || this.#files.has(name)) {
      throw new BadRequestError('Every file must be in the map, and come once.');
    }
    const file = new Upload() as unknown as ExpectedFile;
    this.#files.set(name, file);
    // Nothing reads the file before, so it is not received.
    const received = this.guard.admitted.then(() => this.uploads.receive(content, clientName));
    received.then(file.resolve, file.reject);
  }

  /** The operations, with a ReceivedFile in each place of the map. To be called when the whole body has been read. */
  async operations(): Promise<object> {
    if (!this.#operations || !this.#places) {
      throw malformedRequest();
    }
    await this.guard.admitted;
    for (const [name, places] of this.#places) {
      const file = await this.#files.get(name)?.promise;
      if (!file) {
        throw new BadRequestError('A file of the map is missing.');
      }
      for (const { parent, key } of places) {
        Reflect.set(parent, key, file);
      }
    }
    return this.#operations;
  }
}

/** @throws BadRequestError for broken JSON, and for a value without properties */
function objectIn(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) {
      return value;
    }
  } catch (error) {
    throw malformedRequest(error);
  }
  throw malformedRequest();
}
