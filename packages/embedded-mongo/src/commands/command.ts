import type { Document } from 'bson';
import { locationError, mongoError } from '../base/errors.ts';
import { letVariables } from '../expressions/expressions.ts';
import type { MatchContext } from '../matching/match-operators.ts';
import type { CursorRegistry } from '../query/cursors.ts';
import type { Catalog } from '../storage/catalog.ts';
import type { Collection } from '../storage/collection.ts';
import type { Index } from '../storage/index-spec.ts';
import type { Store } from '../storage/store.ts';
import { bsonTypeName, isDocument } from '../values/values.ts';

/** What all connections share. */
export interface Engine {
  store: Store;
  catalog: Catalog;
  cursors: CursorRegistry;
  startedAt: number;
}

/** One command on its way: the engine, the database it names and its fields. */
export interface CommandContext {
  engine: Engine;
  database: string;
  command: Document;
  connectionId: number;
}

/** A command: the fields it knows besides those all commands share, and what it does. */
export interface CommandDefinition {
  fields: readonly string[];
  /** Writes wait for the disk when their write concern says so. */
  isWrite?: boolean;
  run(context: CommandContext): Promise<Document> | Document;
}

/** `database.collection` of the command's first field. */
export function namespaceOf({ command, database }: CommandContext): string {
  const [name = ''] = Object.keys(command);
  const collection = command[name];
  if (typeof collection !== 'string') {
    throw mongoError('InvalidNamespace', `collection name has invalid type ${bsonTypeName(collection)}`);
  }
  if (collection === '') throw mongoError('InvalidNamespace', `Invalid namespace specified '${database}.'`);
  return `${database}.${collection}`;
}

/** A field that must be a document; an empty one when it is absent. */
export function documentField(command: Document, name: string): Document {
  const value = command[name] ?? {};
  if (isDocument(value)) return value;
  throw mongoError(
    'TypeMismatch',
    `BSON field '${name}' is the wrong type '${bsonTypeName(value)}', expected type 'object'`,
  );
}

/** A field that must be an array; an empty one when it is absent. */
export function arrayField(command: Document, name: string): unknown[] {
  const value = command[name] ?? [];
  if (Array.isArray(value)) return value;
  throw mongoError(
    'TypeMismatch',
    `BSON field '${name}' is the wrong type '${bsonTypeName(value)}', expected type 'array'`,
  );
}

/** A field that must be a whole number of at least zero; undefined when it is absent. */
export function countField(command: Document, name: string): number | undefined {
  const value = command[name];
  if (value === undefined || value === null) return undefined;
  const number = Number(value);
  if (typeof value === 'string' || typeof value === 'boolean' || !Number.isFinite(number)) {
    throw mongoError(
      'TypeMismatch',
      `BSON field '${name}' is the wrong type '${bsonTypeName(value)}', expected types '[long, int, decimal, double]'`,
    );
  }
  if (number < 0)
    throw locationError(51024, `BSON field '${name}' value must be >= 0, actual value '${number}'`);
  return Math.trunc(number);
}

/** Comparison settings of a command or of one of its statements: collation and `let`. */
export function matchContextOf(command: Document, statement: Document = command): MatchContext {
  const variables = 'let' in command ? letVariables(documentField(command, 'let')) : undefined;
  const collator = collatorOf(statement.collation);
  return { ...(variables && { variables }), ...(collator && { collator }) };
}

const SENSITIVITY: Record<number, 'base' | 'accent' | 'variant'> = { 1: 'base', 2: 'accent', 3: 'variant' };

/** A MongoDB collation as the runtime's own; undefined for the simple one. */
function collatorOf(collation: unknown): Intl.Collator | undefined {
  if (collation === undefined || collation === null) return undefined;
  if (!isDocument(collation) || typeof collation.locale !== 'string') {
    throw mongoError('TypeMismatch', "BSON field 'collation.locale' is missing but a required field");
  }
  const {
    locale,
    strength = 3,
    caseLevel = false,
    caseFirst = 'off',
    numericOrdering = false,
    ...rest
  } = collation;
  const {
    alternate = 'non-ignorable',
    backwards = false,
    normalization = false,
    maxVariable,
    version,
    ...unknown
  } = rest;
  if (Object.keys(unknown)[0])
    throw locationError(40415, `BSON field 'collation.${Object.keys(unknown)[0]}' is an unknown field.`);
  if (locale === 'simple') return undefined;
  const sensitivity = SENSITIVITY[Number(strength)];
  if (
    !sensitivity ||
    caseLevel ||
    backwards ||
    normalization ||
    maxVariable ||
    version ||
    alternate !== 'non-ignorable'
  ) {
    throw mongoError(
      'NotImplemented',
      'collation: only locale, strength 1 to 3, caseFirst and numericOrdering are implemented by the embedded engine',
    );
  }
  try {
    return new Intl.Collator(locale.replaceAll('_', '-'), {
      sensitivity,
      caseFirst: caseFirst === 'off' ? 'false' : caseFirst,
      numeric: numericOrdering === true,
    });
  } catch {
    throw mongoError('BadValue', `Field 'locale' is invalid in: ${JSON.stringify(collation)}`);
  }
}

/** The index a `hint` names, by name or key pattern; 'natural' for a scan. */
export function hintOf(
  statement: Document,
  collection: Collection | undefined,
): Index | 'natural' | undefined {
  const hint = statement.hint;
  if (hint === undefined || (isDocument(hint) && Object.keys(hint).length === 0)) return undefined;
  if (isDocument(hint) && '$natural' in hint) return 'natural';
  const pattern = JSON.stringify(hint);
  const found = collection?.indexes.find((index) =>
    typeof hint === 'string' ? index.spec.name === hint : JSON.stringify(index.spec.key) === pattern,
  );
  if (found || !collection) return found;
  throw mongoError(
    'BadValue',
    'error processing query: planner returned error :: caused by :: hint provided does not correspond to an existing index',
  );
}

/** When a command's maxTimeMS ends, in milliseconds since the epoch. */
export function deadlineOf(command: Document): number | undefined {
  const milliseconds = countField(command, 'maxTimeMS');
  return milliseconds ? Date.now() + milliseconds : undefined;
}
