import type { BSON } from 'bson';
import { throughEachDoor } from '../support/doors.ts';
import { expectInvalid } from '../support/expectations.ts';
import { aPatient, freshEmail } from '../support/people.ts';
import { type ReplyProxy, startReplyProxy } from '../support/reply-proxy.ts';
import { createTestApp, type TestApp } from '../support/test-app.ts';

const DUPLICATE_KEY = 11_000;
const TIMES = 50;

/** How often an engine has refused a write because of a unique index. */
let refusals = { inserts: 0, upserts: 0 };

/**
 * Answers as FerretDB 2.7 does: it names the index in the text alone, and reports a refused findAndModify as an internal
 * error with the text of PostgreSQL.
 */
function asFerretDb(reply: BSON.Document): BSON.Document {
  if (reply.code === DUPLICATE_KEY) {
    refusals.upserts += 1;
    const errmsg = 'conflicting key value violates exclusion constraint "documents_rum_index_12"';
    return { ok: 0, errmsg, code: 1, codeName: 'InternalError' };
  }
  const writeErrors: BSON.Document[] = reply.writeErrors ?? [];
  if (!writeErrors.some(({ code }) => code === DUPLICATE_KEY)) return reply;
  refusals.inserts += 1;
  return {
    ...reply,
    writeErrors: writeErrors.map(({ index, code, errmsg }) => {
      const [, name] = / index: (\S+) dup key: /.exec(errmsg) ?? [];
      const text = `Duplicate key violation on the requested collection: Index '${name}'`;
      return { index, code, errmsg: code === DUPLICATE_KEY ? text : errmsg };
    }),
  };
}

describe('on an engine that does not send keyPattern', () => {
  let proxy: ReplyProxy;
  let app: TestApp;
  beforeEach(async () => {
    refusals = { inserts: 0, upserts: 0 };
    proxy = await startReplyProxy(asFerretDb);
    const limits = { RATE_LIMIT: 'on', RATE_LIMIT_REGISTRATIONS_PER_MINUTE: '1000' };
    app = await createTestApp(limits, proxy.through);
  });
  afterEach(async () => {
    await app.stop();
    await proxy.stop();
  });

  throughEachDoor((openDoor) => {
    test('of fifty simultaneous registrations of one e-mail one succeeds, and all others are told that it is taken', async () => {
      const email = freshEmail();
      const door = openDoor(app.url);
      const outcomes = await Promise.all(
        Array.from({ length: TIMES }, () => door.registerPatient(aPatient({ email }))),
      );
      const losers = outcomes.filter((outcome) => !outcome.ok);
      expect(losers).toHaveLength(TIMES - 1);
      for (const loser of losers) expectInvalid(loser, { email: ['The email has already been taken.'] });
      // Otherwise nothing of this has been tested: the check before the insert has refused them all.
      expect(refusals.inserts).toBeGreaterThan(0);
    });

    test('attempts are counted anew once an earlier count is over, and not yet removed', async () => {
      const door = openDoor(app.url);
      expect(await door.registerPatient(aPatient())).toMatchObject({ ok: true });
      const counts = app.database.db.collection('attempt_counts');
      const { modifiedCount } = await counts.updateMany(
        {},
        { $set: { expire: new Date(Date.now() - 1000) } },
      );
      expect(modifiedCount).toBeGreaterThan(0);
      expect(await door.registerPatient(aPatient())).toMatchObject({ ok: true });
      expect(refusals.upserts).toBeGreaterThan(0);
    });
  });
});
