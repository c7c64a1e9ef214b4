import type { BSON } from 'mongodb';
import { isOfRequest, type Match, named } from '../../support/database-messages.ts';
import { useProxiedApp } from '../../support/database-proxy.ts';
import { authenticated, expectInvalid, refused } from '../../support/expectations.ts';
import { importAccount } from '../../support/legacy.ts';
import { aPatient, freshEmail } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';

const DUPLICATE_KEY = 11_000;

/** Changes a reply into one of FerretDB 2.7, which names the index only in the text. */
function asFerretDb(reply: BSON.Document): BSON.Document {
  const writeErrors: BSON.Document[] = reply.writeErrors ?? [];
  if (!writeErrors.some(({ code }) => code === DUPLICATE_KEY)) {
    return reply;
  }
  return {
    ...reply,
    writeErrors: writeErrors.map(({ index, code, errmsg }) => {
      const text = "Duplicate key violation on the requested collection: Index 'emailKey_1'";
      return { index, code, errmsg: code === DUPLICATE_KEY ? text : errmsg };
    }),
  };
}

const behind = useProxiedApp();

test('answers 422 to the loser of a race for one e-mail on an engine that does not send keyPattern', async () => {
  const { app, proxy } = behind;
  const api = restApi(app.url);
  const email = freshEmail();

  // Both have found the e-mail free before either inserts it, so the index decides.
  const inserts = proxy.hold(named('insert accounts'));
  const registrations = [1, 2].map(() => api.registerPatient(aPatient({ email })));
  await inserts.arrived(2);
  proxy.changeReplies(asFerretDb);
  inserts.release();

  const [winner, loser] = (await Promise.all(registrations)).sort((a, b) => Number(b.ok) - Number(a.ok));
  if (!winner || !loser) {
    throw new Error('there are two outcomes');
  }
  authenticated(winner);
  expectInvalid(loser, { email: ['The email has already been taken.'] });
});

test.each(['find', 'insert'])('answers 503 if the reply to %s cannot be parsed', async (kind) => {
  const { app, proxy } = behind;
  const api = restApi(app.url);
  const patient = aPatient();
  authenticated(await api.registerPatient(patient));
  const isMeant: Match = (command) => isOfRequest(command) && command.name.startsWith(kind);
  const broken = proxy.breakAt({ command: isMeant, when: 'after' }, 'garble reply');
  const [outcome] = await Promise.all([api.login(patient), broken]);
  refused(outcome, 'unavailable');
  authenticated(await api.login(patient));
});

/** Changes a reply into one of an engine that does not name the index at all. */
function asNamelessEngine(reply: BSON.Document): BSON.Document {
  const writeErrors: BSON.Document[] = reply.writeErrors ?? [];
  if (writeErrors.length === 0) {
    return reply;
  }
  const errmsg = 'Duplicate key violation on the requested collection.';
  return { ...reply, writeErrors: writeErrors.map(({ index, code }) => ({ index, code, errmsg })) };
}

describe('with ID_FORMAT=integer', () => {
  const numbered = useProxiedApp({ ID_FORMAT: 'integer' });

  test('the gateway distinguishes a taken id from a taken e-mail on an engine that does not name the index', async () => {
    const { app, proxy } = numbered;
    const api = restApi(app.url);
    const { account } = authenticated(await api.registerPatient(aPatient()));
    await importAccount(app.database, String(Number(account.id) + 1));
    proxy.changeReplies(asNamelessEngine);
    const other = authenticated(await api.registerPatient(aPatient()));
    expect(Number(other.account.id)).toBeGreaterThan(Number(account.id) + 1);

    const email = freshEmail();
    const inserts = proxy.hold(named('insert accounts'));
    const registrations = [1, 2].map(() => api.registerPatient(aPatient({ email })));
    await inserts.arrived(2);
    proxy.changeReplies(asNamelessEngine);
    inserts.release();
    const loser = (await Promise.all(registrations)).find(({ ok }) => !ok);
    if (!loser) {
      throw new Error('both are registered');
    }
    expectInvalid(loser, { email: ['The email has already been taken.'] });
  });
});
