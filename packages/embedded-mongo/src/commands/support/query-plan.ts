import type { Document } from 'bson';
import { compileFilter } from '../../matching/matcher.ts';
import { planOf, type QueryOptions } from '../../query/find-documents.ts';
import { Sorter } from '../../query/sort.ts';
import type { Collection } from '../../storage/collection.ts';
import type { Index } from '../../storage/index-spec.ts';
import { isNumeric } from '../../values/numbers.ts';
import { VERSION } from '../server/version.ts';
import { type CommandContext, namespaceOf } from './command.ts';

/** The fields of an explain's answer that do not depend on the query. */
export function explainReply({ command, database }: CommandContext): Document {
  return { command: { ...command, $db: database }, serverInfo: { host: '127.0.0.1', version: VERSION } };
}

/** How a query runs, as `queryPlanner` of MongoDB's explain. It has neither bounds of the index nor rejected plans. */
export function queryPlanner(context: CommandContext, query: QueryOptions): Document {
  checkQuery(query);
  const namespace = namespaceOf(context);
  const collection = context.engine.catalog.find(namespace);
  const winningPlan = collection ? stagesOf(collection, query) : { stage: 'EOF' };
  return { namespace, indexFilterSet: false, winningPlan, rejectedPlans: [] };
}

/** Throws as a run of the query would. */
function checkQuery(query: QueryOptions): void {
  compileFilter(query.filter, query);
  if (!('$natural' in (query.sort ?? {}))) {
    new Sorter(query.sort ?? {});
  }
}

function stagesOf(collection: Collection, query: QueryOptions): Document {
  const { filter, sort = {}, skip, limit } = query;
  const { index, reverse, sorted } = planOf(collection, query);
  const isBackward = isNumeric(sort.$natural) ? Number(sort.$natural) < 0 : reverse;
  const direction = isBackward ? 'backward' : 'forward';
  const tested = Object.keys(filter).length > 0 && { filter };
  let plan: Document = index
    ? { stage: 'FETCH', ...tested, inputStage: { ...indexScan(index), direction } }
    : { stage: 'COLLSCAN', ...tested, direction };
  if (!sorted && !('$natural' in sort)) {
    const limitAmount = limit ? limit + (skip ?? 0) : 0;
    plan = { stage: 'SORT', sortPattern: sort, type: 'simple', limitAmount, inputStage: plan };
  }
  if (skip) {
    plan = { stage: 'SKIP', skipAmount: skip, inputStage: plan };
  }
  return limit ? { stage: 'LIMIT', limitAmount: limit, inputStage: plan } : plan;
}

function indexScan({ spec, isSparse }: Index): Document {
  const { key, name, multikey = false, unique, options } = spec;
  return {
    stage: 'IXSCAN',
    keyPattern: key,
    indexName: name,
    isMultiKey: multikey,
    isUnique: unique,
    isSparse,
    isPartial: options.partialFilterExpression !== undefined,
    indexVersion: 2,
  };
}
