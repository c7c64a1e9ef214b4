import type { Document } from 'bson';

/** MongoDB's numbers of the errors that this engine answers (src/mongo/base/error_codes.yml). */
const CODES = {
  InternalError: 1,
  BadValue: 2,
  FailedToParse: 9,
  Unauthorized: 13,
  TypeMismatch: 14,
  Overflow: 15,
  InvalidLength: 16,
  IllegalOperation: 20,
  InvalidBSON: 22,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  PathNotViable: 28,
  CannotBackfillArray: 34,
  ConflictingUpdateOperators: 40,
  CursorNotFound: 43,
  NamespaceExists: 48,
  MaxTimeMSExpired: 50,
  DollarPrefixedFieldName: 52,
  InvalidIdField: 53,
  NotSingleValueField: 54,
  EmptyFieldName: 56,
  CommandNotFound: 59,
  ImmutableField: 66,
  CannotCreateIndex: 67,
  IndexAlreadyExists: 68,
  InvalidOptions: 72,
  InvalidNamespace: 73,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  NotExactValueField: 111,
  NotAReplicaSet: 123,
  CannotIndexParallelArrays: 171,
  ExceededMemoryLimit: 146,
  InvalidPipelineOperator: 168,
  QueryPlanKilled: 175,
  AmbiguousIndexKeyPattern: 181,
  InvalidIndexSpecificationOption: 197,
  QueryFeatureNotAllowed: 224,
  NotImplemented: 238,
  ConversionFailure: 241,
  IndexBuildAborted: 276,
  QueryExceededMemoryLimitNoDiskUseAllowed: 292,
  BSONObjectTooLarge: 10334,
  DuplicateKey: 11000,
  InterruptedAtShutdown: 11600,
  OutOfDiskSpace: 14031,
} as const;

type ErrorName = keyof typeof CODES;

/** An error that the client gets in MongoDB's form: code, codeName, message and extra fields. */
export class CommandError extends Error {
  constructor(
    readonly code: number,
    readonly codeName: string,
    message: string,
    readonly extra: Document = {},
  ) {
    super(message);
  }
}

/** A CommandError from its name in MongoDB's list. */
export function mongoError(name: ErrorName, message: string, extra?: Document): CommandError {
  return new CommandError(CODES[name], name, message, extra);
}

/** An error by its number. Without a name in MongoDB's list, its codeName is `Location<code>`. */
export function locationError(code: number, message: string): CommandError {
  const [name] = Object.entries(CODES).find(([, each]) => each === code) ?? [`Location${code}`];
  return new CommandError(code, name, message);
}

/** The refusal of something that MongoDB does and this engine does not (238). */
export function notImplemented(what: string): CommandError {
  return mongoError('NotImplemented', `not implemented by the embedded engine: ${what}`);
}

/** Refuses what MongoDB does and this engine does not. Throws NotImplemented (238). */
export function refuse(isRefused: unknown, what: string): void {
  if (isRefused) {
    throw notImplemented(what);
  }
}

/** Throws the error with this name or number of MongoDB's unless the condition holds. */
export function demand(holds: unknown, code: ErrorName | number, message: string): asserts holds {
  if (!holds) {
    throw typeof code === 'number' ? locationError(code, message) : mongoError(code, message);
  }
}

/** A malformed wire message. It ends the connection, because nothing after it can be trusted. */
export class WireError extends Error {}

/** Another engine uses the data folder, in this process or in another one. */
export class EmbeddedMongoLockedError extends Error {
  override readonly name = 'EmbeddedMongoLockedError';
  constructor(
    readonly path: string,
    /** The id of the process that uses the folder, if it is known. */
    readonly ownerPid?: number,
    /** The loopback port of that process's engine, if it is known. */
    readonly ownerPort?: number,
  ) {
    const owner = ownerPid === undefined ? 'another process' : `process ${ownerPid}`;
    super(`The embedded database in ${path} is in use by ${owner}; stop it first, or use another folder.`);
  }
}
