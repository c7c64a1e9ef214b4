import type { Document } from 'bson';
import { notImplemented } from '../../base/errors.ts';
import { planOf, type QueryOptions } from '../../query/find-documents.ts';
import { compileProjection } from '../../query/projection.ts';
import type { Collection } from '../../storage/collection.ts';
import type { Index } from '../../storage/index-spec.ts';
import { VERSION } from '../server/version.ts';
import { type CommandContext, type CommandDefinition, namespaceOf } from '../support/command.ts';
import { checkTypes, documentField } from '../support/fields.ts';
import { checkFields } from '../support/known-fields.ts';
import { checkQuery, queryOptionsOf } from '../support/query-options.ts';
import { findCommand } from './find.ts';

/** The plan of a find, as `queryPlanner` of MongoDB's explain. It has neither bounds of the index nor rejected plans. */
export const explainCommand: CommandDefinition = { fields: ['verbosity'], run: explain };

function explain(context: CommandContext): Document {
  const { explain: command, verbosity = 'allPlansExecution' } = context.command;
  checkTypes({ explain: command }, 'explain', { explain: ['object'] });
  const [name = ''] = Object.keys(command);
  if (name !== 'find' || verbosity !== 'queryPlanner') {
    const what = `explain of ${name} with verbosity ${verbosity}`;
    throw notImplemented(what);
  }
  checkFields(name, command, findCommand);
  const own = { ...context, command };
  const query = queryOptionsOf(own, 'filter');
  checkQuery(query);
  compileProjection(documentField(command, 'projection'), query);
  const namespace = namespaceOf(own);
  const collection = context.engine.catalog.find(namespace);
  const winningPlan = collection ? stagesOf(collection, query) : { stage: 'EOF' };
  return {
    explainVersion: '1',
    queryPlanner: { namespace, indexFilterSet: false, winningPlan, rejectedPlans: [] },
    command: { ...command, $db: context.database },
    serverInfo: { host: '127.0.0.1', version: VERSION },
  };
}

function stagesOf(collection: Collection, query: QueryOptions): Document {
  const { filter, sort = {}, skip, limit } = query;
  const { scans, reverse, sorted } = planOf(collection, query);
  const direction = reverse ? 'backward' : 'forward';
  const tested = Object.keys(filter).length > 0 && { filter };
  const inputStages = scans.map(({ index }) => ({ ...indexScan(index), direction }));
  const inputStage = inputStages.length > 1 ? { stage: 'OR', inputStages } : inputStages[0];
  let plan: Document = inputStage
    ? { stage: 'FETCH', ...tested, inputStage }
    : { stage: 'COLLSCAN', ...tested, direction };
  if (!sorted) {
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
