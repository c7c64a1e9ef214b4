import type { Document } from 'bson';
import type { QueryOptions } from '../query/find-documents.ts';
import type { StageContext } from './stage.ts';
import { limitOperand, skipOperand } from './stages/query-stages.ts';

/**
 * The stages at the beginning of a pipeline as a query, so that indexes serve them: $match, then $sort, then $skip, then $limit.
 * `length` is their number.
 */
export function leadingQuery(
  pipeline: readonly Document[],
  context: StageContext,
): { query: QueryOptions; length: number } {
  let length = 0;
  const take = (name: string) => {
    const stage = pipeline[length];
    return stage && name in stage ? pipeline[length++]?.[name] : undefined;
  };
  const filter = take('$match') ?? {};
  const sort = take('$sort');
  const skip = take('$skip');
  const limit = take('$limit');
  const query: QueryOptions = {
    ...context,
    filter,
    sort,
    skip: skip === undefined ? 0 : skipOperand(skip),
    limit: limit === undefined ? 0 : limitOperand(limit),
  };
  return { query, length };
}
