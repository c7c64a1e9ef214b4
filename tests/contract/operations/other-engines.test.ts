import type { BSON } from 'bson';
import { throughEachDoor } from '../../support/doors.ts';
import { authenticated, expectInvalid } from '../../support/expectations.ts';
import { aPatient, freshEmail } from '../../support/people.ts';
import { type ReplyProxy, startReplyProxy } from '../../support/reply-proxy.ts';
import { createTestApp, type TestApp } from '../../support/test-app.ts';

const DUPLICATE_KEY = 11_000;
const TIMES = 20;

/** The number of writes that an engine has refused because of a unique index. */
let refusals = 0;

/** Answers as FerretDB 2.7 does: it names the index in the text alone. */
function asFerretDb(reply: BSON.Document): BSON.Document {
  const writeErrors: BSON.Document[] = reply.writeErrors ?? [];
  if (!writeErrors.some(({ code }) => code === DUPLICATE_KEY)) return reply;
  refusals += 1;
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
    proxy = await startReplyProxy(asFerretDb);
    const limits = { RATE_LIMIT: 'on', RATE_LIMIT_REGISTRATIONS_PER_MINUTE: '1000' };
    app = await createTestApp(limits, proxy.through);
  });
  afterEach(async () => {
    await app.stop();
    await proxy.stop();
  });

  throughEachDoor((openDoor) => {
    test('of twenty simultaneous registrations of one e-mail one succeeds, and all others answer that it is taken', async () => {
      const email = freshEmail();
      const door = openDoor(app.url);
      // Opens connections and loads code, so that the race itself is short.
      authenticated(await door.registerPatient(aPatient()));
      refusals = 0;
      const outcomes = await Promise.all(
        Array.from({ length: TIMES }, () => door.registerPatient(aPatient({ email }))),
      );
      const losers = outcomes.filter((outcome) => !outcome.ok);
      expect(losers).toHaveLength(TIMES - 1);
      for (const loser of losers) expectInvalid(loser, { email: ['The email has already been taken.'] });
      // Otherwise this test has tested nothing: the check before the insert has refused them all.
      expect(refusals).toBeGreaterThan(0);
    });
  });
});
