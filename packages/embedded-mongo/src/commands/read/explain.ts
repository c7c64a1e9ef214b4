import type { Document } from 'bson';
import { CommandError, mongoError, notImplemented } from '../../base/errors.ts';
import { CountedRun } from '../../query/counted-run.ts';
import { type FoundDocument, planOf, type QueryOptions } from '../../query/find-documents.ts';
import type { Plan } from '../../query/planner.ts';
import { compileProjection, type Projector } from '../../query/projection.ts';
import type { Collection } from '../../storage/collection.ts';
import type { Index } from '../../storage/index-spec.ts';
import { encode } from '../../values/bson-codec.ts';
import { VERSION } from '../server/version.ts';
import { type CommandContext, type CommandDefinition, namespaceOf } from '../support/command.ts';
import { drain } from '../support/drain.ts';
import { checkTypes, documentField } from '../support/fields.ts';
import { checkFields } from '../support/known-fields.ts';
import { checkQuery, deadlineOf, queryOptionsOf } from '../support/query-options.ts';
import { findCommand } from './find.ts';

/**
 * The plan of a find, as `queryPlanner` of MongoDB's explain, and what a run of it examined and returned, as `executionStats`. It
 * has neither bounds of the index nor rejected plans, and of the run no estimates and no steps of work.
 */
export const explainCommand: CommandDefinition = { fields: ['verbosity'], run: explain };

const VERBOSITIES = ['queryPlanner', 'executionStats', 'allPlansExecution'];

async function explain(context: CommandContext): Promise<Document> {
  const { explain: command } = context.command;
  const verbosity = context.command.verbosity ?? 'allPlansExecution';
  checkTypes({ explain: command, verbosity }, 'explain', { explain: ['object'], verbosity: ['string'] });
  const [name = ''] = Object.keys(command);
  if (name !== 'find') {
    throw notImplemented(`explain of ${name}`);
  }
  if (!VERBOSITIES.includes(verbosity)) {
    const field = "field 'explain.verbosity'";
    throw mongoError('BadValue', `Enumeration value '${verbosity}' for ${field} is not a valid value.`);
  }
  checkFields(name, command, findCommand);
  const planned = planFind({ ...context, command }, deadlineOf(context.command));
  const { namespace, query, plan } = planned;
  const winningPlan = stagesOf(query, plan);
  return {
    explainVersion: '1',
    queryPlanner: { namespace, indexFilterSet: false, winningPlan, rejectedPlans: [] },
    ...(verbosity !== 'queryPlanner' && {
      executionStats: {
        ...(await statistics(context, planned)),
        // There are no other plans to try.
        ...(verbosity === 'allPlansExecution' && { allPlansExecution: [] }),
      },
    }),
    command: { ...command, $db: context.database },
    serverInfo: { host: '127.0.0.1', version: VERSION },
  };
}

/** A find that could be run. Without a collection there is no plan. */
interface PlannedFind {
  namespace: string;
  query: QueryOptions;
  project: Projector | undefined;
  collection: Collection | undefined;
  plan: Plan | undefined;
  /** When its planning began, in milliseconds of `performance.now()`. */
  begin: number;
}

/** Checks the find as its run would, and plans it. The deadline of explain goes before the one of the find. */
function planFind(context: CommandContext, deadline: number | undefined): PlannedFind {
  const begin = performance.now();
  const options = queryOptionsOf(context, 'filter');
  const query = { ...options, deadline: deadline ?? options.deadline };
  checkQuery(query);
  const project = compileProjection(documentField(context.command, 'projection'), query);
  const namespace = namespaceOf(context);
  const collection = context.engine.catalog.find(namespace);
  return { namespace, query, project, collection, plan: collection && planOf(collection, query), begin };
}

/** Runs the find. An error that ends it is part of the answer (jstests/core/query/explain/explain_execution_error.js). */
async function statistics(context: CommandContext, find: PlannedFind): Promise<Document> {
  const { query, project, collection, plan, begin } = find;
  const run = collection && plan && new CountedRun(collection, plan);
  let nReturned = 0;
  const take = (found: FoundDocument) => {
    if (project) {
      encode(project(found.document));
    }
    nReturned++;
  };
  const failure = await drain(context, run?.find(query) ?? [], take).then(() => undefined, commandError);
  return {
    executionSuccess: !failure,
    ...(failure && { errorMessage: failure.message, errorCode: failure.code }),
    nReturned,
    executionTimeMillis: Math.round(performance.now() - begin),
    totalKeysExamined: run?.scans.reduce((sum, { keys }) => sum + keys, 0) ?? 0,
    totalDocsExamined: run?.documents ?? 0,
    // A run that failed has not returned from each stage what the counts would say.
    executionStages: stagesOf(query, plan, failure ? undefined : { run, nReturned }),
  };
}

/** An error of the query itself. Others are thrown again. */
function commandError(error: unknown): CommandError {
  if (error instanceof CommandError) {
    return error;
  }
  throw error;
}

interface RunCounts {
  run: CountedRun | undefined;
  nReturned: number;
}

/** The stages of a plan, from the last to the first; with the counts of its run, if there was one. */
function stagesOf(query: QueryOptions, plan: Plan | undefined, counts?: RunCounts): Document {
  const { sort = {}, skip = 0, limit = 0 } = query;
  const returned = counts && { nReturned: counts.nReturned };
  if (!plan) {
    return { stage: 'EOF', ...returned };
  }
  let stages = readingStages(query, plan, counts?.run);
  if (!plan.sorted) {
    const limitAmount = limit ? limit + skip : 0;
    const sorted = counts?.run && { nReturned: Math.min(counts.run.matches, limitAmount || Infinity) };
    stages = { stage: 'SORT', ...sorted, sortPattern: sort, type: 'simple', limitAmount, inputStage: stages };
  }
  if (skip) {
    stages = { stage: 'SKIP', ...returned, skipAmount: skip, inputStage: stages };
  }
  return limit ? { stage: 'LIMIT', ...returned, limitAmount: limit, inputStage: stages } : stages;
}

/** The stages that read and test the documents. */
function readingStages({ filter }: QueryOptions, { scans, reverse }: Plan, run?: CountedRun): Document {
  const direction = reverse ? 'backward' : 'forward';
  const tested = {
    ...(run && { nReturned: run.matches, docsExamined: run.documents }),
    ...(Object.keys(filter).length > 0 && { filter }),
  };
  const inputStages = scans.map(({ index }, i) => {
    const counts = run?.scans[i];
    return {
      ...indexScan(index),
      ...(counts && { nReturned: counts.found, keysExamined: counts.keys }),
      direction,
    };
  });
  if (inputStages.length === 0) {
    return { stage: 'COLLSCAN', ...tested, direction };
  }
  const inputStage =
    inputStages.length > 1
      ? { stage: 'OR', ...(run && { nReturned: run.documents }), inputStages }
      : inputStages[0];
  return { stage: 'FETCH', ...tested, inputStage };
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
