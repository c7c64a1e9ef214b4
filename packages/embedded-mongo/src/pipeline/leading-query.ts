import type { Document } from 'bson';
import type { QueryOptions } from '../query/find-documents.ts';
import { isDocument } from '../values/types.ts';
import type { StageContext } from './stage.ts';
import { limitOperand, skipOperand } from './stages/slice.ts';

/**
 * Splits a pipeline into a query and the stages that are left. The query does the stages at the beginning: $match, then
 * $sort, then $skip, then $limit. So indexes serve them.
 */
export function splitLeadingQuery(
  pipeline: readonly Document[],
  { variables, collator }: StageContext,
): { options: QueryOptions; rest: Document[] } {
  const rest = [...pipeline];
  const options: QueryOptions = { filter: {}, ...(variables && { variables }), collator };
  if (isDocument(rest[0]?.$match)) {
    options.filter = rest.shift()?.$match;
  }
  // $natural is a name in this stage, and an error.
  if (isDocument(rest[0]?.$sort) && !('$natural' in rest[0].$sort)) {
    options.sort = rest.shift()?.$sort;
  }
  if (rest[0] && '$skip' in rest[0]) {
    options.skip = skipOperand(rest.shift()?.$skip);
  }
  if (rest[0] && '$limit' in rest[0]) {
    options.limit = limitOperand(rest.shift()?.$limit);
  }
  return { options, rest };
}
