import {
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isInputObjectType,
  parse,
} from 'graphql';
import { rootFieldsOf } from './root-fields.ts';
import { LIMITS } from './rules/limits.ts';
import { Upload } from './types/upload.scalar.ts';

/** What an operation may do with the files of its request. */
export interface UploadPlan {
  /** How many it has places for. */
  files: number;
  /** Its root fields. */
  fields: ReadonlySet<string>;
}

/**
 * Says what files an operation can use, before any of them is received. It need not be valid: that is for Apollo to say,
 * once the files are there. Until then its root fields tell enough.
 * @param operations the field of that name of a GraphQL multipart request
 * @returns undefined where the operation cannot be run at all: no document, one that cannot be parsed, no such operation
 */
export function planUploads(schema: GraphQLSchema, operations: object): UploadPlan | undefined {
  const { query, operationName } = operations as { query?: unknown; operationName?: unknown };
  const document = typeof query === 'string' ? parsed(query) : undefined;
  const name = typeof operationName === 'string' ? operationName : undefined;
  const operation = document && getOperationAST(document, name);
  if (!operation) return undefined;
  const fields = new Set(rootFieldsOf(document, operation).map((field) => field.name.value));
  const known = schema.getRootType(operation.operation)?.getFields() ?? {};
  const places = [...fields].flatMap((field) => known[field]?.args ?? []).map(({ type }) => placesIn(type));
  return { fields, files: places.reduce((sum, count) => sum + count, 0) };
}

function parsed(query: string): DocumentNode | undefined {
  try {
    return parse(query, { maxTokens: LIMITS.tokens, noLocation: true });
  } catch {
    return undefined;
  }
}

/** A list of files counts as one: this schema has none. Nor does it have an input that contains itself. */
function placesIn(type: GraphQLInputType): number {
  const named = getNamedType(type);
  if (named === Upload) return 1;
  if (!isInputObjectType(named)) return 0;
  return Object.values(named.getFields()).reduce((sum, field) => sum + placesIn(field.type), 0);
}
