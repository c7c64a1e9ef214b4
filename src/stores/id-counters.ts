import { type Connection, mongo } from 'mongoose';
import { boundedExchange } from '../database/bounded-exchange.ts';
import { isDuplicateKey } from '../database/database-errors.ts';
import { dbOf } from '../database/db-of.ts';
import { ServiceUnavailableError } from '../errors/errors.ts';
import type { Clock } from '../system/clock.ts';

/**
 * Where numbers of accounts and tokens occur. An account that was deleted may have left a profile or tokens behind: they must
 * not belong to the next account. The audit trail still names erased accounts.
 */
const FIELDS = {
  accounts: [
    ['accounts', '_id'],
    ['doctor_profiles', '_id'],
    ['access_tokens', 'accountId'],
    ['erasures', '_id'],
  ],
  access_tokens: [['access_tokens', '_id']],
} as const;

/** The collections whose ids can be numbers. */
export type NumberedCollection = keyof typeof FIELDS;

const NUMBERED = Object.keys(FIELDS) as NumberedCollection[];

/** A stored counter. All instances share it. */
interface IdCounter {
  _id: NumberedCollection;
  /** The largest number that is taken or reserved. Above 2^53 the driver reads a Long. */
  value: number | mongo.Long;
}

/** A canonical decimal number that fits a signed BIGINT. An ObjectId may consist of digits alone, but it has 24 of them. */
const DECIMAL = '^[1-9][0-9]{0,18}$';

const MAX_STORED = BigInt(mongo.Long.MAX_VALUE.toString());

/**
 * Makes missing counters: they start above all numbers that are stored. Instances may do it at the same time, because a
 * counter is only ever raised. To look at a million records takes some seconds, once.
 * @param connection without a time limit on exchanges
 * @throws an error for people if a number is too large for {@link reserveNumbers}
 */
export async function makeIdCounters(connection: Connection): Promise<void> {
  const counters = countersOf(connection);
  for (const name of NUMBERED) {
    await makeIfMissing(connection, name);
    const counter = await counters.findOne({ _id: name });
    if (!Number.isSafeInteger(counter?.value)) {
      throw new Error(
        `ID_FORMAT=integer cannot be used: an id in ${name} is above ${Number.MAX_SAFE_INTEGER}, which JSON numbers do not carry`,
      );
    }
  }
}

/**
 * Raises the counters, so that no id from now on is one of an import. Call it before the ids are stored, whatever ID_FORMAT
 * is: if an import breaks off in between, there is only a gap. It never lowers a counter.
 * @param largest the largest number that will be stored in each collection
 */
export async function raiseIdCounters(
  connection: Connection,
  largest: Partial<Record<NumberedCollection, bigint>>,
): Promise<void> {
  for (const name of NUMBERED) {
    const value = largest[name];
    if (value !== undefined) {
      await makeIfMissing(connection, name);
      await raise(connection, name, value);
    }
  }
}

/**
 * Reserves the next numbers of a collection for the caller alone.
 * @param count how many
 * @returns the last of them
 * @throws ServiceUnavailableError if the counter does not exist any more or would pass 2^53; errors of the database
 */
export async function reserveNumbers(
  connection: Connection,
  name: NumberedCollection,
  count: number,
  clock: Clock,
): Promise<number> {
  const withRoom = { _id: name, value: { $lte: Number.MAX_SAFE_INTEGER - count } };
  const more = { $inc: { value: mongo.Long.fromNumber(count) } };
  const reserve = countersOf(connection).findOneAndUpdate(withRoom, more, { returnDocument: 'after' });
  const counter = await boundedExchange(reserve, clock);
  if (typeof counter?.value !== 'number') {
    throw new ServiceUnavailableError(`the counter of ${name} is missing or used up`);
  }
  return counter.value;
}

async function makeIfMissing(connection: Connection, name: NumberedCollection): Promise<void> {
  if (await countersOf(connection).findOne({ _id: name })) {
    return;
  }
  const found = [];
  for (const [collection, field] of FIELDS[name]) {
    found.push(await largestNumber(connection, collection, field));
  }
  await raise(
    connection,
    name,
    found.reduce((one, other) => (one > other ? one : other)),
  );
}

/** Among numbers of the same length, the order of texts is the order of numbers. */
async function largestNumber(connection: Connection, collection: string, field: string): Promise<bigint> {
  const longest = [
    { $match: { [field]: { $regex: DECIMAL } } },
    { $group: { _id: { $strLenCP: `$${field}` }, largest: { $max: `$${field}` } } },
    { $sort: { _id: -1 } },
    { $limit: 1 },
  ];
  const [found] = await dbOf(connection)
    .collection(collection)
    .aggregate<{ largest: string }>(longest)
    .toArray();
  return BigInt(found?.largest ?? 0);
}

async function raise(connection: Connection, name: NumberedCollection, value: bigint): Promise<void> {
  // A legacy service may have an unsigned BIGINT. A counter that high is refused anyway.
  const long = mongo.Long.fromBigInt(value < MAX_STORED ? value : MAX_STORED);
  const upsert = () =>
    countersOf(connection).updateOne({ _id: name }, { $max: { value: long } }, { upsert: true });
  try {
    await upsert();
  } catch (error) {
    // Of two simultaneous upserts, one may fail. The counter exists now.
    if (!isDuplicateKey(error, '_id')) {
      throw error;
    }
    await upsert();
  }
}

const countersOf = (connection: Connection) => dbOf(connection).collection<IdCounter>('counters');
