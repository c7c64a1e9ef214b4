import mongoose from 'mongoose';
import { isDatabaseAway, isDuplicateKey } from '../../../src/database/database-errors.ts';

const { MongoBulkWriteError, MongoServerError } = mongoose.mongo;

/** An error that a server answers with. */
const answered = (code: number) => new MongoServerError({ code, errmsg: 'refused' });

/** The driver's error for a bulk write, which carries the server's refusals. */
function bulkError(refusals: { index: number; code: number; errmsg: string }[]) {
  const [first] = refusals;
  const error = { message: first?.errmsg, code: first?.code, writeErrors: refusals };
  return new MongoBulkWriteError(error as never, {} as never);
}

// A lone server cannot produce the answers of a replica set or a router without a primary.
test.each([91, 133, 189, 10_107, 11_600, 11_602, 13_435])(
  'a server that answers with code %i counts as away',
  (code) => expect(isDatabaseAway(answered(code))).toBe(true),
);

describe('a reply that cannot be parsed', () => {
  const { BSON, MongoParseError, MongoUnexpectedServerResponseError } = mongoose.mongo;
  const thrown = (act: () => unknown): unknown => {
    try {
      return act();
    } catch (error) {
      return error;
    }
  };
  const reply = BSON.serialize({ cursor: { firstBatch: [{ name: 'x' }] }, ok: 1 });
  const broken = Array.from({ length: reply.length }, (_, at) => {
    const bytes = Uint8Array.from(reply);
    bytes[at] = 0x99;
    return thrown(() => BSON.deserialize(bytes));
  }).filter((error) => error instanceof Error);

  test('counts as an unreachable database', () => {
    expect(broken.length).toBeGreaterThan(20);
    const { parseToElements } = BSON.onDemand;
    const errors = [
      ...broken,
      thrown(() => [...parseToElements(reply.subarray(1))]),
      new MongoUnexpectedServerResponseError('Unable to get response from server'),
      new MongoParseError('Message size cannot be negative: -5'),
    ];
    expect(errors.filter((error) => !isDatabaseAway(error))).toEqual([]);
  });

  test('is told apart from a document that cannot be written, and from a wrong connection string', () => {
    const errors = [
      thrown(() => BSON.serialize({ 'a\0b': 1 })),
      thrown(() => new BSON.ObjectId('x')),
      new MongoParseError('Invalid scheme, expected connection string to start with "mongodb://"'),
    ];
    expect(errors.map((error) => [error instanceof Error, isDatabaseAway(error)])).toEqual(
      errors.map(() => [true, false]),
    );
  });
});

test('a server that refuses a command for another reason is not away', () => {
  for (const code of [2, 13, 121, 11_000]) {
    expect(isDatabaseAway(answered(code))).toBe(false);
  }
  expect(isDatabaseAway(new TypeError('undefined is not a function'))).toBe(false);
});

describe('a refusal by a unique index', () => {
  const KEY_PATTERN = { emailKey: 1 };
  const refusal = (message: string, more: object = {}) =>
    new MongoServerError({ code: 11_000, codeName: 'DuplicateKey', errmsg: message, ...more });
  const mongodbText = (index: string, value = 'a@b.example') =>
    `E11000 duplicate key error collection: auth.accounts index: ${index} dup key: { emailKey: "${value}" }`;
  const documentdbText = (index: string) =>
    `Duplicate key violation on the requested collection: Index '${index}'`;
  const TAKEN = { index: 1, code: 11_000, errmsg: documentdbText('emailKey_1') };

  test.each<[string, InstanceType<typeof MongoServerError>]>([
    ['MongoDB', refusal(mongodbText('emailKey_1'), { keyPattern: KEY_PATTERN, keyValue: { emailKey: 'a' } })],
    ['MongoDB before 4.2', refusal(mongodbText('emailKey_1'))],
    [
      'MongoDB, under findAndModify',
      refusal(`Plan executor error :: caused by :: ${mongodbText('emailKey_1')}`),
    ],
    ['FerretDB 2', refusal(documentdbText('emailKey_1'))],
    ['an engine that does not find the name', refusal(documentdbText('<unknown>'))],
    ["DocumentDB's own gateway", refusal('Duplicate key violation on the requested collection.')],
    ['a bulk write', bulkError([{ ...TAKEN, index: 0 }])],
    ['a bulk write after another error', bulkError([{ index: 0, code: 2, errmsg: 'bad value' }, TAKEN])],
  ])('is known in the answer of %s', (_engine, error) => {
    expect(isDuplicateKey(error, 'emailKey')).toBe(true);
  });

  test.each<[string, unknown]>([
    ['another index by keyPattern', refusal(mongodbText('emailKey_1'), { keyPattern: { _id: 1 } })],
    ['another index by name', refusal(mongodbText('_id_'))],
    ['another index by name, at FerretDB', refusal(documentdbText('_id_'))],
    ['another index, with a value like a name', refusal(mongodbText('_id_', 'index: emailKey_1 '))],
    [
      'another index, with a value like the end',
      refusal(mongodbText('_id_', " dup key: Index 'emailKey_1'")),
    ],
    ['an index of more fields', refusal(mongodbText('emailKey_1_role_1'))],
    ['another error', new MongoServerError({ code: 121, errmsg: mongodbText('emailKey_1') })],
    ['an error of the program', new TypeError(mongodbText('emailKey_1'))],
  ])('is not confused with %s', (_case, error) => {
    expect(isDuplicateKey(error, 'emailKey')).toBe(false);
  });

  test.each<[string, InstanceType<typeof MongoServerError>]>([
    ['by keyPattern', refusal(mongodbText('_id_'), { keyPattern: { _id: 1 } })],
    ['by name', refusal(mongodbText('_id_'))],
    ['by name, at FerretDB', refusal(documentdbText('_id_'))],
  ])('is distinguished from a taken id %s', (_engine, error) => {
    expect([isDuplicateKey(error, '_id'), isDuplicateKey(error, 'emailKey')]).toEqual([true, false]);
    const taken = refusal(mongodbText('emailKey_1'), { keyPattern: KEY_PATTERN });
    expect([isDuplicateKey(taken, '_id'), isDuplicateKey(taken, 'emailKey')]).toEqual([false, true]);
  });

  test.each([
    'duplicate key value violates unique constraint "documents_rum_index_12"',
    'conflicting key value violates exclusion constraint "documents_rum_index_12"',
  ])('is known where FerretDB 2 answers a findAndModify with an internal error: %s', (errmsg) => {
    const error = new MongoServerError({ code: 1, codeName: 'InternalError', errmsg });
    expect(isDuplicateKey(error, 'emailKey')).toBe(true);
  });

  test('an internal error that only quotes such a text is not a duplicate', () => {
    const errmsg = 'cannot store "duplicate key value violates unique constraint x"';
    expect(isDuplicateKey(new MongoServerError({ code: 1, errmsg }), 'emailKey')).toBe(false);
  });
});
