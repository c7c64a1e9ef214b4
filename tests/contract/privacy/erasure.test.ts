import { createHash } from 'node:crypto';
import { openDocumentStore } from '../../../src/app/storage.ts';
import { configOn } from '../../documents/support/aftermath.ts';
import { LOCAL, type StoreKind, s3Store } from '../../documents/support/stores.ts';
import { admin } from '../../support/admin-command.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated, refused, registeredDoctor } from '../../support/expectations.ts';
import { graphqlApi } from '../../support/graphql-api.ts';
import { send } from '../../support/http.ts';
import { aDoctor, aPatient, freshPassword } from '../../support/people.ts';
import { auditEvents, closeErasers, deleteAccount, openEraser } from '../../support/privacy.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf } from '../../support/session.ts';
import { createTestApp, type TestApp, testClock } from '../../support/test-app.ts';

afterEach(closeErasers);

const HOUR_MILLIS = 3_600_000;
const DAY_MILLIS = 24 * HOUR_MILLIS;

const digestOf = (email: string) => createHash('sha256').update(email).digest('hex');

const settingsOf = (app: TestApp) => ({
  MONGODB_URI: app.database.uri,
  STORAGE_DIR: app.storageDir,
  LOG_LEVEL: 'silent',
});

/** Checks that the trail tells of an account only what was done, and when. */
async function expectAnonymous(app: TestApp, accountId: string, email: string): Promise<void> {
  const events = await auditEvents(app).find({ accountId }).toArray();
  expect(events.length).toBeGreaterThan(1);
  for (const event of events) {
    expect(event).toMatchObject({ emailDigest: null, ip: '', userAgent: null, at: expect.any(Date) });
  }
  expect(await auditEvents(app).countDocuments({ emailDigest: digestOf(email) })).toBe(0);
}

/** Everything of an account but its events. */
async function leftOf(app: TestApp, id: string): Promise<number> {
  const { accounts, profiles, tokens, db } = app.database;
  const counts = await Promise.all([
    accounts.countDocuments({ _id: id }),
    profiles.countDocuments({ _id: id }),
    tokens.countDocuments({ accountId: id }),
    ...['reset_tokens', 'factors', 'challenges', 'passkeys'].map((name) =>
      db.collection(name).countDocuments({ accountId: id }),
    ),
    db.collection('outgoing_mails').countDocuments({ 'order.to.accountId': id }),
    db.collection<{ _id: string }>('operator_acts').countDocuments({ _id: id }),
  ]);
  return counts.reduce((sum, count) => sum + count, 0);
}

describe.each<StoreKind>([LOCAL, s3Store('an S3 bucket')])('with documents in $name', (kind) => {
  let app: TestApp;
  let store: Record<string, string>;
  beforeAll(async () => {
    store = await kind.start();
    app = await createTestApp({ ERASURE_GRACE_DAYS: '0', ID_FORMAT: 'integer', ...store });
  });
  afterAll(async () => {
    await app.stop();
    await kind.stop();
  });

  test('an account is erased in the next hour, with documents, tokens, mails and all that tells who it was', async () => {
    const doctor = aDoctor();
    const api = restApi(app.url);
    const { account, profile, token } = registeredDoctor(await api.registerDoctor(doctor));
    const spare = registeredDoctor(await api.registerDoctor(aDoctor()));
    // The documents of a resubmission: here, those of somebody whose account and profile are gone.
    const resubmitted = await app.database.profiles.findOneAndDelete({ _id: String(spare.account.id) });
    const { licenseFilePath, diplomaFilePath, certificationFilePath } = resubmitted ?? {};
    const id = String(account.id);
    await app.database.profiles.updateOne(
      { _id: id },
      { $set: { resubmitted: { licenseFilePath, diplomaFilePath, certificationFilePath } } as object },
    );
    for (const name of ['reset_tokens', 'factors', 'challenges', 'passkeys']) {
      await app.database.db.collection(name).insertOne({ accountId: id });
    }
    await app.database.db.collection('outgoing_mails').insertOne({ order: { to: { accountId: id } } });
    await app.database.db.collection<{ _id: string }>('operator_acts').insertOne({ _id: id });
    refused(await api.login({ ...doctor, password: freshPassword() }), 'credentials');
    const urls = [profile, spare.profile].flatMap((each) => [
      each.licenseFileUrl,
      each.diplomaFileUrl,
      each.certificationUrl,
    ]);
    for (const url of urls) {
      expect((await send(url)).status).toBe(200);
    }
    const { erasedAfter } = await deleteAccount(app.url, token, doctor.password);
    expect(erasedAfter).toBe(new Date(testClock.now()).toISOString());
    refused(await api.login(doctor), 'credentials');

    await testClock.advance(HOUR_MILLIS);
    await eventually(async () => expect(await leftOf(app, id)).toBe(0));
    const documents = await openDocumentStore(configOn(app, store));
    for (const path of [licenseFilePath, diplomaFilePath, certificationFilePath]) {
      expect(await documents.open(path ?? '')).toBeUndefined();
    }
    await documents.close();
    for (const url of urls) {
      expect((await send(url)).status).toBe(404);
    }
    expect(await accountOf(app.url, token)).toBeUndefined();
    await expectAnonymous(app, id, doctor.email);
    const erasures = await auditEvents(app).find({ accountId: id, act: 'erasure' }).toArray();
    expect(erasures).toMatchObject([{ outcome: 'success', door: 'gateway', operator: null }]);

    // The e-mail is free, and the id is never given again.
    const again = authenticated(await api.registerPatient(aPatient({ email: doctor.email })));
    expect(Number(again.account.id)).toBeGreaterThan(Number(id));
  });

  test('an operator erases an account at once', async () => {
    const doctor = aDoctor();
    const { account, profile, token } = registeredDoctor(await graphqlApi(app.url).registerDoctor(doctor));
    const settings = { ...settingsOf(app), ...store };
    const erased = await admin(
      settings,
      'accounts',
      'erase',
      '--email',
      doctor.email,
      '--now',
      '--yes',
      '--json',
    );
    expect(erased.json).toEqual([{ id: account.id, isErased: true }]);
    expect(await leftOf(app, account.id)).toBe(0);
    expect((await send(profile.licenseFileUrl)).status).toBe(404);
    expect(await accountOf(app.url, token)).toBeUndefined();
    await expectAnonymous(app, account.id, doctor.email);
    const trail = await admin(settings, 'audit', '--account', account.id, '--json');
    // The command has the time of the machine, which the clock of the app may be ahead of.
    expect(trail.json).toHaveLength(2);
    expect(trail.json).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ act: 'registration', ip: '', userAgent: null, emailDigest: null }),
        expect.objectContaining({ act: 'erasure', channel: 'admin', operator: expect.any(String) }),
      ]),
    );
    expect((await admin(settings, 'accounts', 'erase', '--id', account.id, '--now', '--yes')).code).toBe(1);
    refused(await graphqlApi(app.url).login(doctor), 'credentials');
  });
});

describe('beside the gateway', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.stop());

  /** A closed account, and a clock on which it is due. */
  async function closed(person = aPatient()) {
    const { account, token } = authenticated(await graphqlApi(app.url).registerPatient(person));
    const { erasedAfter } = await deleteAccount(app.url, token, person.password);
    return { ...person, id: account.id, dueAt: Date.parse(erasedAfter ?? '') };
  }

  /** A clock that shows a moment until it is set. */
  const clockAt = (millis: number) => {
    const clock = { millis, now: () => clock.millis, elapsed: () => 0, after: () => () => {} };
    return clock;
  };

  test('an account is erased when its grace has passed, not before', async () => {
    const { id, dueAt } = await closed();
    const clock = clockAt(dueAt - 1);
    const eraser = await openEraser(app, clock);
    await eraser.erasure.run();
    expect(await leftOf(app, id)).toBe(1);
    clock.millis = dueAt;
    await eraser.erasure.run();
    expect(await leftOf(app, id)).toBe(0);
  });

  test('events that another instance writes late lose the person, too, and nobody is remembered after a day', async () => {
    const { id, email, dueAt } = await closed();
    const [event] = await auditEvents(app).find({ accountId: id }).toArray();
    const clock = clockAt(dueAt);
    const eraser = await openEraser(app, clock);
    await eraser.erasure.run();
    const at = new Date(dueAt);
    const later = new Date(dueAt + HOUR_MILLIS);
    const emailDigest = digestOf(email);
    await auditEvents(app).insertMany([
      { ...event, _id: 'late', at, accountId: id, emailDigest } as never,
      { ...event, _id: 'throttled', at, accountId: null, emailDigest } as never,
      { ...event, _id: 'of the next owner', at, accountId: 'other', emailDigest } as never,
      { ...event, _id: 'afterwards', at: later, accountId: null, emailDigest } as never,
      { ...event, _id: 'a review', at, accountId: 'other', byAccountId: id } as never,
    ]);
    clock.millis = dueAt + HOUR_MILLIS;
    await eraser.erasure.run();
    const found = await auditEvents(app)
      .find({ _id: { $in: ['late', 'throttled', 'of the next owner', 'afterwards'] } })
      .sort({ _id: 1 })
      .toArray();
    expect(found.map(({ _id, emailDigest: digest, ip }) => [_id, digest, ip])).toEqual([
      ['afterwards', emailDigest, '127.0.0.1'],
      ['late', null, ''],
      ['of the next owner', emailDigest, '127.0.0.1'],
      ['throttled', null, ''],
    ]);
    // The reviewer has left: the address is theirs, but the e-mail is the doctor's.
    const review = { _id: 'a review' } as never;
    const doctors = { ip: '', userAgent: null, emailDigest: event?.emailDigest };
    expect(doctors.emailDigest).toMatch(/^[0-9a-f]{64}$/);
    expect(await auditEvents(app).findOne(review)).toMatchObject(doctors);
    const remembered = () => app.database.db.collection<{ _id: string }>('erasures').findOne({ _id: id });
    expect(await remembered()).toMatchObject({ emailDigest });
    clock.millis = dueAt + DAY_MILLIS;
    await eraser.erasure.run();
    expect(await remembered()).toBeNull();
  });

  test('what a clock that was ahead has erased is forgotten a day after the clock was set back', async () => {
    const { id, dueAt } = await closed();
    const clock = clockAt(dueAt + 10 * DAY_MILLIS);
    const eraser = await openEraser(app, clock);
    await eraser.erasure.run();
    const remembered = () => app.database.db.collection<{ _id: string }>('erasures').findOne({ _id: id });
    clock.millis = dueAt;
    await eraser.erasure.run();
    expect(await remembered()).toMatchObject({ erasedAt: new Date(dueAt) });
    clock.millis = dueAt + DAY_MILLIS;
    await eraser.erasure.run();
    expect(await remembered()).toBeNull();
  });

  test('the id of a legacy account is remembered, and nothing else', async () => {
    const { id, dueAt } = await closed();
    await app.database.accounts.findOneAndDelete({ _id: id }).then(async (account) => {
      await app.database.accounts.insertOne({ ...account, _id: '4711' } as never);
    });
    const clock = clockAt(dueAt);
    const eraser = await openEraser(app, clock);
    await eraser.erasure.run();
    clock.millis = dueAt + DAY_MILLIS;
    await eraser.erasure.run();
    const remembered = app.database.db.collection<{ _id: string }>('erasures').findOne({ _id: '4711' });
    expect(await remembered).toEqual({
      _id: '4711',
      erasedAt: new Date(dueAt),
      settledAt: new Date(clock.millis),
    });
  });

  test('what cannot be erased is tried again, and logged once; the others are erased', async () => {
    const doctor = aDoctor();
    const { account, token } = registeredDoctor(await graphqlApi(app.url).registerDoctor(doctor));
    const { erasedAfter } = await deleteAccount(app.url, token, doctor.password);
    const patient = await closed();
    const eraser = await openEraser(app, clockAt(Date.parse(erasedAfter ?? '')));
    const { remove } = eraser.storage.documents;
    eraser.storage.documents.remove = () => Promise.reject(new Error('the disk is gone'));
    await eraser.erasure.run();
    await eraser.erasure.run();
    expect(await leftOf(app, account.id)).toBe(2);
    expect(await leftOf(app, patient.id)).toBe(0);
    expect(eraser.lines.filter((line) => line.includes('an erasure failed'))).toHaveLength(1);
    expect(eraser.lines.join('')).not.toContain(doctor.email);
    eraser.storage.documents.remove = remove;
    await eraser.erasure.run();
    expect(await leftOf(app, account.id)).toBe(0);
  });

  test.each([null, undefined])('an account whose e-mail is %s is erased', async (email) => {
    const patient = await closed();
    const change = email === null ? { $set: { email } } : { $unset: { email: true } };
    await app.database.accounts.updateOne({ _id: patient.id }, change as object);
    const { erasure } = await openEraser(app, clockAt(patient.dueAt));
    await erasure.run();
    expect(await leftOf(app, patient.id)).toBe(0);
  });

  test('an account that another program has enabled without taking its date away holds up no other one', async () => {
    const api = restApi(app.url);
    const [enabled, other] = await Promise.all(
      [aPatient(), aPatient()].map(async (patient) => authenticated(await api.registerPatient(patient))),
    );
    const idOf = (one: typeof enabled) => String(one?.account.id);
    const due = (daysAgo: number) => new Date(testClock.now() - daysAgo * DAY_MILLIS);
    const { accounts } = app.database;
    await accounts.updateOne({ _id: idOf(enabled) }, { $set: { erasureDueAt: due(2) } });
    const closed = { erasureDueAt: due(1), disabledAt: due(1) };
    await accounts.updateOne({ _id: idOf(other) }, { $set: closed });
    const { erasure, storage } = await openEraser(app, testClock);
    const { accounts: stored } = storage.stores;
    const next = stored.nextDueForErasure.bind(stored);
    // Without an end, a run would ask for the first account again and again.
    let questions = 0;
    stored.nextDueForErasure = (...words) => {
      questions += 1;
      return questions > 20 ? Promise.reject(new Error('no end')) : next(...words);
    };
    await erasure.run();
    expect(questions).toBeLessThan(20);
    expect([await leftOf(app, idOf(enabled)), await leftOf(app, idOf(other))]).toEqual([2, 0]);
  });

  test('an erased account whose late events cannot be looked for holds up no other one', async () => {
    const people = await Promise.all([closed(), closed()]);
    const clock = clockAt(Math.max(...people.map(({ dueAt }) => dueAt)));
    const eraser = await openEraser(app, clock);
    await eraser.erasure.run();
    const next = await closed();
    clock.millis = next.dueAt + DAY_MILLIS;
    const trail = eraser.storage.stores.auditEvents;
    const anonymise = trail.anonymise.bind(trail);
    const [failing = '', other = ''] = people.map(({ id }) => id).sort();
    trail.anonymise = async (person, signal) => {
      if (person.accountId === failing) {
        throw new Error('too slow');
      }
      await anonymise(person, signal);
    };
    await eraser.erasure.run();
    expect(await leftOf(app, next.id)).toBe(0);
    const remembered = () =>
      app.database.db.collection('erasures').distinct('_id', { _id: { $in: [failing, other] } as never });
    expect(await remembered()).toEqual([failing]);
    expect(eraser.lines.filter((line) => line.includes('an erasure failed'))).toHaveLength(1);
    trail.anonymise = anonymise;
    await eraser.erasure.run();
    expect(await remembered()).toEqual([]);
  });

  test('a path that leads out of the store is not followed', async () => {
    const doctor = aDoctor();
    const { account, token } = registeredDoctor(await graphqlApi(app.url).registerDoctor(doctor));
    const licenseFilePath = '../outside.pdf';
    const imported = `doctor_profiles/licenses/${'i'.repeat(40)}.pdf`;
    const replaced = [imported, licenseFilePath];
    await app.database.profiles.updateOne({ _id: account.id }, { $set: { licenseFilePath, replaced } });
    const { erasedAfter } = await deleteAccount(app.url, token, doctor.password);
    const eraser = await openEraser(app, clockAt(Date.parse(erasedAfter ?? '')));
    const removed: string[] = [];
    eraser.storage.documents.remove = async (path) => void removed.push(path);
    await eraser.erasure.run();
    expect(removed).toHaveLength(3);
    expect(removed).toContain(imported);
    expect(removed).not.toContain(licenseFilePath);
    expect(await leftOf(app, account.id)).toBe(0);
  });

  test('an imported document that another profile names stays', async () => {
    const register = (doctor: ReturnType<typeof aDoctor>) => graphqlApi(app.url).registerDoctor(doctor);
    const [doctor, sharing] = [aDoctor(), aDoctor()];
    const [leaving, staying] = [
      registeredDoctor(await register(doctor)),
      registeredDoctor(await register(sharing)),
    ];
    const licenseFilePath = `doctor_profiles/licenses/${'s'.repeat(40)}.pdf`;
    const ids = [leaving.account.id, staying.account.id];
    await app.database.profiles.updateMany({ _id: { $in: ids } }, { $set: { licenseFilePath } });
    const { erasedAfter } = await deleteAccount(app.url, leaving.token, doctor.password);
    const eraser = await openEraser(app, clockAt(Date.parse(erasedAfter ?? '')));
    const removed: string[] = [];
    eraser.storage.documents.remove = async (path) => void removed.push(path);
    await eraser.erasure.run();
    expect(removed).toHaveLength(2);
    expect(removed).not.toContain(licenseFilePath);
  });

  test('two instances erase the same accounts without harm, each with one event', async () => {
    const people = await Promise.all([closed(aPatient()), closed(aPatient()), closed(aPatient())]);
    const dueAt = Math.max(...people.map((person) => person.dueAt));
    const erasers = await Promise.all([openEraser(app, clockAt(dueAt)), openEraser(app, clockAt(dueAt))]);
    await Promise.all(erasers.map(({ erasure }) => erasure.run()));
    for (const { id, email } of people) {
      expect(await leftOf(app, id)).toBe(0);
      await expectAnonymous(app, id, email);
      expect(await auditEvents(app).countDocuments({ accountId: id, act: 'erasure' })).toBe(1);
    }
    expect(erasers.flatMap(({ lines }) => lines).filter((line) => line.includes('failed'))).toEqual([]);
  });

  test('of an erasure and an operator who enables the account, one wins whole', async () => {
    const people = await Promise.all(Array.from({ length: 6 }, () => closed()));
    const eraser = await openEraser(app, clockAt(Math.max(...people.map(({ dueAt }) => dueAt))));
    const enablings = people.map(({ email }) =>
      admin({ ...settingsOf(app) }, 'accounts', 'enable', '--email', email),
    );
    await eraser.erasure.run();
    const codes = (await Promise.all(enablings)).map(({ code }) => code);
    await eraser.erasure.run();
    for (const [index, person] of people.entries()) {
      const stored = await app.database.accounts.findOne({ _id: person.id });
      // Enabled and open, or refused and gone.
      expect(codes[index] === 0 ? stored?.disabledAt : stored).toBeNull();
    }
  });

  test('many events are made anonymous in batches, also those of one moment', async () => {
    const { id, email, dueAt } = await closed();
    const [event] = await auditEvents(app).find({ accountId: id }).toArray();
    const many = Array.from({ length: 1_300 }, (_, index) => ({ ...event, _id: `${id} ${index}` }));
    await auditEvents(app).insertMany(many as never);
    const eraser = await openEraser(app, clockAt(dueAt));
    await eraser.erasure.run();
    await expectAnonymous(app, id, email);
  });

  test('refused attempts with a former e-mail lose the person, too, unless another account has it by now', async () => {
    const [kept, given] = [aPatient(), aPatient()];
    const people = [await closed(kept), await closed(given)];
    for (const { email } of people) {
      await app.database.accounts.updateOne(
        { email },
        { $set: { email: `new-${email}`, emailKey: `new-${email}` } },
      );
    }
    refused(await graphqlApi(app.url).login({ ...kept, password: freshPassword() }), 'credentials');
    await eventually(async () =>
      expect(await auditEvents(app).countDocuments({ emailDigest: digestOf(kept.email) })).toBe(3),
    );
    authenticated(await graphqlApi(app.url).registerPatient(given));
    const request = { act: 'password reset request', accountId: null, emailDigest: digestOf(given.email) };
    const [event] = await auditEvents(app)
      .find({ accountId: people[1]?.id ?? '' })
      .toArray();
    const later = new Date(testClock.now() + 1_000);
    await auditEvents(app).insertOne({ ...event, ...request, _id: 'of the new owner', at: later } as never);
    await auditEvents(app).insertOne({ ...event, ...request, _id: 'of the former owner' } as never);
    const eraser = await openEraser(app, clockAt(Math.max(...people.map(({ dueAt }) => dueAt))));
    await eraser.erasure.run();
    expect(await auditEvents(app).countDocuments({ emailDigest: digestOf(kept.email) })).toBe(0);
    const left = await auditEvents(app)
      .find({ emailDigest: digestOf(given.email) })
      .toArray();
    expect(left.map(({ act }) => act).sort()).toEqual(['password reset request', 'registration']);
    expect(left.map(({ _id }) => String(_id))).toContain('of the new owner');
  });
});
