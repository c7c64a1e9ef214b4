import mongoose from 'mongoose';
import { isDatabaseAway } from '../../src/database/database-errors.ts';

const { MongoServerError } = mongoose.mongo;

/** An error that a server answers with. */
const answered = (code: number) => new MongoServerError({ code, errmsg: 'refused' });

// What a replica set or a router says while it has no primary cannot be had of a lone server.
test.each([91, 133, 189, 10_107, 11_600, 11_602, 13_435])(
  'a server that answers with code %i is away, as one that does not answer',
  (code) => expect(isDatabaseAway(answered(code))).toBe(true),
);

test('what it refuses for other reasons is another matter', () => {
  for (const code of [2, 13, 121, 11_000]) expect(isDatabaseAway(answered(code))).toBe(false);
  expect(isDatabaseAway(new TypeError('undefined is not a function'))).toBe(false);
});
