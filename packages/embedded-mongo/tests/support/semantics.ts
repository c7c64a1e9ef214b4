import { readdirSync, readFileSync } from 'node:fs';
import { EJSON } from 'bson';
import { type Db, type Document, type MongoClient, MongoServerError } from 'mongodb';
import type { Versions } from './versions.ts';

/**
 * A case of the table of truth (tests/semantics): what MongoDB answers to one command. `source` is the page of MongoDB's manual
 * or the test in mongodb/mongo that says so.
 */
export interface SemanticCase extends Versions {
  name: string;
  source: string;
  /** What says so: a source, and behind a colon what else is known, such as what a server was seen to answer. */
  changed?: string;
  /** The documents of the collection `c`, in the order of their insertion. */
  documents: Document[];
  /** The documents of other collections, by their names. */
  others?: Record<string, Document[]>;
  /** Indexes of `c`, as createIndexes takes them. */
  indexes?: Document[];
  command: Document;
  /** The documents that the command's cursor gives, in this order. */
  answer?: Document[];
  /** The same, in any order. */
  unordered?: true;
  /** Fields may have any order, in embedded documents, too: MongoDB gives none to those that an upsert takes from its filter. */
  anyFieldOrder?: true;
  /** It holds on a connection without a user. */
  withoutUsers?: true;
  /** Fields of the command's reply, by their paths. */
  reply?: Document;
  /** The documents of `c` after the command, in the order of insertion. */
  after?: Document[];
  /** The code of the error that the command or its first statement ends with. */
  error?: number;
  /** The embedded engine does not have this: it answers NotImplemented (238) or another error, never a wrong answer. */
  refused?: true;
}

/** What came of a case, in a form that shows every type and the order of fields. */
interface Outcome {
  answer?: string[];
  reply?: Record<string, string>;
  after?: string[];
  error?: number;
}

const FOLDER = new URL('../semantics/', import.meta.url);

/** The cases of every file, by the file's name. */
export function semanticCases(): [file: string, cases: SemanticCase[]][] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .map((name) => [name, EJSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'), { relaxed: false })]);
}

/** What the database of a client has, if no command can have changed it. */
const arranged = new WeakMap<MongoClient, string>();
const READS = ['find', 'count', 'distinct', 'explain', 'aggregate'];

/** What a case needs: its documents and indexes, as a text. */
export const arrangementOf = ({ documents, others, indexes }: SemanticCase): string =>
  EJSON.stringify({ others, documents, indexes }, { relaxed: false });

/** Gives the database what a case needs. Cases that only read share it. */
async function arrange(db: Db, each: SemanticCase): Promise<void> {
  if (arranged.get(db.client) !== arrangementOf(each)) {
    arranged.delete(db.client);
    await db.dropDatabase();
    for (const [name, documents] of Object.entries({ ...each.others, c: each.documents })) {
      if (documents.length > 0) {
        await db.collection(name).insertMany(documents);
      }
    }
    if (each.indexes) {
      await db.command({ createIndexes: 'c', indexes: each.indexes });
    }
    arranged.set(db.client, arrangementOf(each));
  }
  if (!READS.some((name) => name in each.command) || /"\$(out|merge)"/.test(JSON.stringify(each.command))) {
    arranged.delete(db.client);
  }
}

/** Runs a case. Gives what the case names of its outcome. */
export async function outcomeOf(db: Db, each: SemanticCase): Promise<Outcome> {
  await arrange(db, each);
  const outcome: Outcome = {};
  try {
    const reply = await db.command(each.command, { promoteValues: false });
    const failed = reply.writeErrors?.[0];
    if (failed) {
      outcome.error = Number(failed.code);
    }
    if (each.answer) {
      outcome.answer = shown(reply.cursor?.firstBatch ?? [], each.unordered);
    }
    if (each.reply) {
      outcome.reply = fieldsOf(Object.keys(each.reply), (path) => inAnyOrder(each)(valueAt(reply, path)));
    }
  } catch (error) {
    if (!(error instanceof MongoServerError)) {
      throw error;
    }
    outcome.error = Number(error.code);
  }
  if (each.after) {
    const after = await db.collection('c').find({}, { promoteValues: false }).toArray();
    outcome.after = shown(after.map(inAnyOrder(each)));
  }
  return outcome;
}

/** The outcome that a case expects, in the same form. */
export function expectedOf(each: SemanticCase): Outcome {
  const { answer, unordered, reply, after, error } = each;
  return {
    ...(answer && { answer: shown(answer, unordered) }),
    ...(reply && { reply: fieldsOf(Object.keys(reply), (path) => inAnyOrder(each)(reply[path])) }),
    ...(after && { after: shown(after.map(inAnyOrder(each))) }),
    ...(error !== undefined && { error: Number(error) }),
  };
}

function shown(documents: readonly Document[], unordered = false): string[] {
  const texts = documents.map((document) => EJSON.stringify(document, { relaxed: false }));
  return unordered ? texts.sort() : texts;
}

/** Gives a value of a case with the fields of all documents in the order of their names, if they may have any. */
const inAnyOrder =
  ({ anyFieldOrder }: SemanticCase) =>
  <T>(value: T): T =>
    anyFieldOrder ? (sorted(value) as T) : value;

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) {
    return value;
  }
  const inOrder = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(inOrder.map(([name, item]) => [name, sorted(item)]));
}

function fieldsOf(paths: readonly string[], read: (path: string) => unknown): Record<string, string> {
  return Object.fromEntries(
    paths.map((path) => [path, EJSON.stringify(read(path), { relaxed: false }) ?? 'missing']),
  );
}

function valueAt(reply: Document, path: string): unknown {
  return path.split('.').reduce<Document | undefined>((value, name) => value?.[name], reply);
}
