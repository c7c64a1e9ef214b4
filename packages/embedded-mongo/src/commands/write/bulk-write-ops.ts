import type { Document } from 'bson';
import { mongoError } from '../../base/errors.ts';
import { lookUp } from '../../base/look-up.ts';
import { encode } from '../../values/bson-codec.ts';
import type { CommandContext } from '../support/command.ts';
import { checkTypes, countField, type FieldTypes, NUMBER } from '../support/fields.ts';
import { batchOf } from './statements.ts';

type WriteKind = 'insert' | 'update' | 'delete';

/** Consecutive writes of one kind to one collection. */
export interface WriteGroup {
  kind: WriteKind;
  namespace: { database: string; collection: string };
  /** The position of the first write in the command. */
  first: number;
  /** As the command of that kind takes them. */
  statements: unknown[];
}

const OBJECT = ['object'];
const BOOL = ['bool'];
const OPTIONS: FieldTypes = { multi: BOOL, hint: ['object', 'string'], collation: OBJECT };
const UPDATE_OPTIONS: FieldTypes = { upsert: BOOL, arrayFilters: ['array'], constants: OBJECT, sort: OBJECT };

/** The fields that a write must have, and those that it may have. The first is its kind with a position in nsInfo. */
const OPERATIONS: Record<string, [required: FieldTypes, optional?: FieldTypes]> = {
  insert: [{ insert: NUMBER, document: OBJECT }],
  update: [
    { update: NUMBER, filter: OBJECT, updateMods: ['object', 'array'] },
    { ...OPTIONS, ...UPDATE_OPTIONS },
  ],
  delete: [{ delete: NUMBER, filter: OBJECT }, OPTIONS],
};

/**
 * Checks the whole command and groups its writes.
 * @throws CommandError as MongoDB does, before anything is written
 */
export function parseBulkWrite(context: CommandContext): WriteGroup[] {
  const { ops, nsInfo, ordered, errorsOnly } = context.command;
  checkTypes({ ops, nsInfo }, 'bulkWrite', { ops: ['array'], nsInfo: ['array'] });
  checkTypes({ ordered, errorsOnly }, 'bulkWrite', {}, { ordered: BOOL, errorsOnly: BOOL });
  const namespaces: WriteGroup['namespace'][] = nsInfo.map(parseNamespace);
  const groups: WriteGroup[] = [];
  for (const [index, op] of batchOf(context, 'ops').entries()) {
    const { kind, position, statement } = parseOperation(op as Document);
    const namespace = namespaces[position];
    if (!namespace) {
      throw mongoError('BadValue', `BulkWrite ops entry ${index} has an invalid nsInfo index.`);
    }
    const last = groups.at(-1);
    if (last?.kind === kind && last.namespace === namespace) {
      last.statements.push(statement);
    } else {
      groups.push({ kind, namespace, first: index, statements: [statement] });
    }
  }
  return groups;
}

function parseNamespace(entry: Document): WriteGroup['namespace'] {
  checkTypes({ nsInfo: entry }, 'bulkWrite', { nsInfo: OBJECT });
  checkTypes(entry, 'nsInfo', { ns: ['string'] });
  const ns: string = entry.ns;
  const dot = ns.indexOf('.');
  if (dot <= 0 || dot === ns.length - 1) {
    throw mongoError('InvalidNamespace', `Invalid namespace specified for bulkWrite: '${ns}'`);
  }
  return { database: ns.slice(0, dot), collection: ns.slice(dot + 1) };
}

function parseOperation(op: Document): { kind: WriteKind; position: number; statement: unknown } {
  checkTypes({ ops: op }, 'bulkWrite', { ops: OBJECT });
  const [kind = ''] = Object.keys(op);
  checkTypes(op, 'ops', ...(lookUp(OPERATIONS, kind) ?? [{}]));
  const { filter: q, updateMods: u, multi = false, document, constants, [kind]: _, ...options } = op;
  if (constants) {
    throw mongoError('NotImplemented', 'constants of bulkWrite are not implemented by the embedded engine');
  }
  const limit = multi ? 0 : 1;
  const statement = {
    insert: document,
    update: { q, u, multi, ...options },
    delete: { q, limit, ...options },
  };
  const position = countField(op, kind) as number;
  const own = statement[kind as WriteKind];
  return { kind: kind as WriteKind, position, statement: kind === 'insert' ? encode(own) : own };
}
