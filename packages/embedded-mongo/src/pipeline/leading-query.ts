import type { Document } from 'bson';
import type { QueryOptions } from '../query/find-documents.ts';
import type { StageContext } from './stage.ts';
import { limitOperand, skipOperand } from './stages/query-stages.ts';

/**
 * Splits a compiled pipeline into a query and the stages that are left. The query does the stages at the beginning: $match,
 * then $sort, then $skip, then $limit. So indexes serve them.
 */
export function splitLeadingQuery(
  pipeline: readonly Document[],
  context: StageContext,
): { options: QueryOptions; rest: Document[] } {
  const rest = [...pipeline];
  const take = (name: string) => (rest[0] && name in rest[0] ? rest.shift()?.[name] : undefined);
  const filter = take('$match') ?? {};
  const sort = take('$sort');
  const skip = take('$skip');
  const limit = take('$limit');
  const options: QueryOptions = {
    ...context,
    filter,
    sort,
    skip: skip === undefined ? 0 : skipOperand(skip),
    limit: limit === undefined ? 0 : limitOperand(limit),
  };
  return { options, rest };
}
