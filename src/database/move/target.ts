import { type Connection, mongo } from 'mongoose';
import { systemClock } from '../../system/clock.ts';
import { messageOf } from '../../system/system-errors.ts';
import { connect, dbOf } from '../connect.ts';
import { BEFORE_VALUES, DUPLICATE_KEY } from '../database-errors.ts';
import { withinLimit } from '../exchange-limit.ts';
import { exactDocument, exactFields, idOf } from './exact-document.ts';

/** No caller waits for an answer of a move, so it waits longer for a busy database than requests do. */
const MAX_WAIT_MILLIS = 10_000;
/** Reads are compared with what was written, so they go to the primary whatever the address says. */
const OPTIONS = {
  serverSelectionTimeoutMS: MAX_WAIT_MILLIS,
  connectTimeoutMS: MAX_WAIT_MILLIS,
  waitQueueTimeoutMS: MAX_WAIT_MILLIS,
  // An index over many documents takes minutes. The driver's heartbeat notices a server that is gone.
  socketTimeoutMS: 0,
  readPreference: 'primary',
} as const;
const DURABLE = { w: 'majority', j: true } as const;
/** Far more than a server needs for a batch, on a slow line too. Without it a lost answer would be waited for for ever. */
const MAX_EXCHANGE_MILLIS = 120_000;

/** The embedded engine, which may also be a target, reads the whole collection for more than 500. */
const MAX_IDS = 250;

const NO_SUCH_NAMESPACE = 26;

/** What a server says about a refused document, or about a write that it did not make durable. */
interface ServerProblem {
  code?: number;
  errmsg?: string;
  keyPattern?: object;
}

/** The database that a move fills. Every exchange with it is bounded, except the making of indexes. */
export class MoveTarget {
  readonly #connection: Connection;

  private constructor(
    connection: Connection,
    readonly db: mongo.Db,
  ) {
    this.#connection = connection;
  }

  /**
   * @param uri the address; if it names no database, `auth_gateway` is used
   * @throws MoveRefusal if it cannot be opened. The text has no password
   */
  static async open(uri: string): Promise<MoveTarget> {
    const connection = await connect(uri, OPTIONS).catch((error: unknown) => {
      throw new MoveRefusal(`The target cannot be opened: ${messageOf(error)}`, { cause: error });
    });
    return new MoveTarget(connection, dbOf(connection));
  }

  /** The database and its servers, for people. */
  get name(): string {
    const hosts = this.#connection.getClient().options.hosts.map(String);
    return `${this.db.databaseName} of ${hosts.join(', ')}`;
  }

  /** The collections: their names, and `collection`, `view` or `timeseries`. */
  async collections(): Promise<Map<string, string>> {
    const listed = await within(this.db.listCollections({}, { nameOnly: true }).toArray());
    return new Map(listed.map(({ name, type = 'collection' }) => [name, type]));
  }

  async create(collection: string): Promise<void> {
    await within(this.db.createCollection(collection, { writeConcern: DURABLE }));
  }

  count(collection: string): Promise<number> {
    return within(this.db.collection(collection).countDocuments({}));
  }

  /** The stored bytes of the documents that have the `_id` of one of these. */
  async counterparts(collection: string, documents: readonly Uint8Array[]): Promise<Uint8Array[]> {
    const ids = documents.map(idOf);
    const parts = Array.from({ length: Math.ceil(ids.length / MAX_IDS) }, (_, part) =>
      ids.slice(part * MAX_IDS, (part + 1) * MAX_IDS),
    );
    const found = parts.map((part) => {
      const filter = { _id: { $in: part } } as mongo.Filter<mongo.Document>;
      return within(this.db.collection(collection).find(filter, { raw: true }).toArray());
    });
    // With `raw` the documents are bytes, which the driver's types do not say.
    return (await Promise.all(found)).flat() as unknown as Uint8Array[];
  }

  /**
   * Stores documents byte for byte. A document whose `_id` is taken is left out: the comparison at the end judges that one.
   * @throws if another document is refused, or the driver would change one
   */
  async insert(collection: string, documents: readonly Uint8Array[]): Promise<void> {
    const command = {
      insert: collection,
      documents: documents.map((raw) => exact(collection, raw)),
      ordered: false,
      writeConcern: DURABLE,
    };
    const reply = await within(this.db.command(command));
    const refused: ServerProblem[] = reply.writeErrors ?? [];
    const problem: ServerProblem | undefined =
      refused.find((each) => !isTakenId(each)) ?? reply.writeConcernError;
    if (problem) {
      throw new Error(`${collection}: ${textOf(problem)}`);
    }
  }

  /** The indexes of a collection, except the one on `_id`; none if there is no such collection. */
  async indexes(collection: string): Promise<IndexFields[]> {
    const listed = this.db.collection(collection).listIndexes({ raw: true }).toArray();
    const all = await within(listed).catch((error: unknown) => {
      if (error instanceof mongo.MongoServerError && error.code === NO_SUCH_NAMESPACE) {
        return [];
      }
      throw error;
    });
    return all.map((raw) => indexFields(raw)).filter((index) => nameOf(index) !== '_id_');
  }

  /** Makes indexes, over documents that are there already. */
  async createIndexes(createIndexes: string, indexes: readonly IndexFields[]): Promise<void> {
    await this.db.command({ createIndexes, indexes, writeConcern: DURABLE });
  }

  async dropIndex(dropIndexes: string, index: IndexFields): Promise<void> {
    await within(this.db.command({ dropIndexes, index: nameOf(index), writeConcern: DURABLE }));
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
}

/** A check has failed, and the move has changed nothing. The text is for the operator. */
export class MoveRefusal extends Error {}

const within = <T>(exchange: Promise<T>): Promise<T> =>
  withinLimit(exchange, { maxMillis: MAX_EXCHANGE_MILLIS, clock: systemClock });

function exact(collection: string, raw: Uint8Array): mongo.Document {
  const document = exactDocument(raw);
  if (!document) {
    const id = mongo.BSON.EJSON.stringify(idOf(raw)).slice(0, 100);
    const reason = 'it has two fields with one name, or a value of a type that MongoDB gave up';
    throw new Error(
      `${collection}: the document with the _id ${id} cannot be moved without a loss: ${reason}.`,
    );
  }
  return document;
}

const isTakenId = ({ code, keyPattern }: ServerProblem): boolean =>
  code === DUPLICATE_KEY && Object.hasOwn(keyPattern ?? { _id: 1 }, '_id');

const textOf = ({ code, errmsg = '' }: ServerProblem): string =>
  `${errmsg.split(BEFORE_VALUES, 1)[0]} (code ${code})`;

/** An index in the form of listIndexes and createIndexes. */
type IndexFields = ReadonlyMap<string, unknown>;

export const indexFields = (raw: Uint8Array): IndexFields => exactFields(raw);

export const nameOf = (index: IndexFields): string => String(index.get('name'));

/** True if MongoDB removes documents by this index, when they are too old. */
export const isExpiring = (index: IndexFields): boolean => index.has('expireAfterSeconds');

/** True if both index the same documents in the same way. Servers add fields of their own, and differ in types of numbers. */
export const isSameIndex = (one: IndexFields, other: IndexFields): boolean =>
  meaningOf(one) === meaningOf(other);

function meaningOf(index: IndexFields): string {
  const get = (field: string) => index.get(field) ?? null;
  const key = index.get('key') as ReadonlyMap<string, unknown>;
  const seconds = index.get('expireAfterSeconds');
  return mongo.BSON.EJSON.stringify([
    nameOf(index),
    [...key].map(([field, direction]) => [field, String(direction)]),
    Boolean(get('unique')),
    Boolean(get('sparse')),
    Boolean(get('hidden')),
    seconds === undefined ? null : Number(seconds),
    get('partialFilterExpression'),
    get('collation'),
  ]);
}
