import type { Document } from 'bson';
import { mongoError } from '../../base/errors.ts';
import { lookUp } from '../../base/look-up.ts';
import { findDocuments, type QueryOptions } from '../../query/find-documents.ts';
import { compileProjection } from '../../query/projection.ts';
import { type CommandContext, type CommandDefinition, namespaceOf } from '../support/command.ts';
import { drain } from '../support/drain.ts';
import { checkTypes, documentField } from '../support/fields.ts';
import { checkFields } from '../support/known-fields.ts';
import { queryOptionsOf } from '../support/query-options.ts';
import { explainReply, queryPlanner } from '../support/query-plan.ts';
import { aggregateCommand } from './aggregate.ts';
import { countCommand } from './count.ts';
import { distinctCommand } from './distinct.ts';
import { findCommand } from './find.ts';

/** The plan of a command. Of a find also what it reads, which MongoDB gives by default. */
export const explainCommand: CommandDefinition = { fields: ['verbosity'], run: explain };

const EXPLAINED: Record<string, CommandDefinition> = {
  find: findCommand,
  count: countCommand,
  distinct: distinctCommand,
  aggregate: aggregateCommand,
};
const VERBOSITIES = ['queryPlanner', 'executionStats', 'allPlansExecution'];

async function explain(context: CommandContext): Promise<Document> {
  const { explain: command, verbosity = 'allPlansExecution' } = context.command;
  checkTypes({ explain: command }, 'explain', { explain: ['object'] });
  if (!VERBOSITIES.includes(verbosity)) {
    throw mongoError(
      'BadValue',
      `Enumeration value '${verbosity}' for field 'explain.verbosity' is not valid`,
    );
  }
  const [name = ''] = Object.keys(command);
  const definition = lookUp(EXPLAINED, name);
  if (!definition || (name !== 'find' && verbosity !== 'queryPlanner')) {
    const what = `explain of ${name} with verbosity ${verbosity}`;
    throw mongoError('NotImplemented', `${what} is not implemented by the embedded engine`);
  }
  checkFields(name, command, definition);
  const own = { ...context, command };
  if (name === 'aggregate') {
    return definition.run({ ...own, command: { ...command, explain: true } });
  }
  const query = queryOptionsOf(own, name === 'find' ? 'filter' : 'query');
  compileProjection(documentField(command, 'projection'), query);
  return {
    explainVersion: '1',
    queryPlanner: queryPlanner(own, query),
    ...(verbosity !== 'queryPlanner' && { executionStats: await executionStats(own, query) }),
    ...explainReply(own),
  };
}

/** Runs a find. There is never more than one plan, so allPlansExecution has nothing to add. */
async function executionStats(context: CommandContext, query: QueryOptions): Promise<Document> {
  const collection = context.engine.catalog.find(namespaceOf(context));
  const examined = { keys: 0, documents: 0 };
  const startedAt = performance.now();
  const found = collection ? findDocuments(collection, { ...query, examined }) : [];
  const nReturned = await drain(context, found, () => {});
  return {
    executionSuccess: true,
    nReturned,
    executionTimeMillis: Math.round(performance.now() - startedAt),
    totalKeysExamined: examined.keys,
    totalDocsExamined: examined.documents,
  };
}
