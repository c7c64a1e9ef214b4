import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isInputObjectType,
  parse,
} from 'graphql';
import { Upload } from '../../inputs/upload.scalar.ts';
import { refusalOf } from '../document-check.ts';
import { rootFieldsOf } from '../root-fields.ts';
import { LIMITS } from '../rules/limits.ts';

/** The files that an operation can use. */
export interface UploadPlan {
  /** How many files its arguments have places for. */
  files: number;
  /** Its root fields. */
  fields: ReadonlySet<string>;
}

/**
 * Finds the files that an operation can use, before any of them is received. The operation need not be valid: Apollo checks
 * that later, and its root fields are enough here.
 * @param operations the field of that name of a GraphQL multipart request
 * @returns undefined if the operation cannot run at all: no document, one that is refused, a syntax error, no such operation
 */
export function planUploads(schema: GraphQLSchema, operations: object): UploadPlan | undefined {
  const { query, operationName } = operations as { query?: unknown; operationName?: unknown };
  const document = typeof query === 'string' ? parsed(query) : undefined;
  const name = typeof operationName === 'string' ? operationName : undefined;
  const operation = document && getOperationAST(document, name);
  if (!operation) {
    return undefined;
  }
  const fields = new Set(rootFieldsOf(document, operation).map((field) => field.name.value));
  const known = schema.getRootType(operation.operation)?.getFields() ?? {};
  const places = [...fields].flatMap((field) => known[field]?.args ?? []).map(({ type }) => placesIn(type));
  return { fields, files: places.reduce((sum, count) => sum + count, 0) };
}

function parsed(query: string): DocumentNode | undefined {
  if (refusalOf(query)) {
    return undefined;
  }
  try {
    return parse(query, { maxTokens: LIMITS.tokens, noLocation: true });
  } catch {
    return undefined;
  }
}

/** Counts a list of files as one; this schema has no such list. It has no recursive inputs either. */
function placesIn(type: GraphQLInputType): number {
  const named = getNamedType(type);
  if (named === Upload) {
    return 1;
  }
  if (!isInputObjectType(named)) {
    return 0;
  }
  return Object.values(named.getFields()).reduce((sum, field) => sum + placesIn(field.type), 0);
}
