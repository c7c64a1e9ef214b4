import { throughEachApi } from '../../support/apis.ts';
import { eventually } from '../../support/eventually.ts';
import { authenticated, expectInvalid, refused, succeeded } from '../../support/expectations.ts';
import { graphqlApi } from '../../support/graphql-api.ts';
import { jsonOf, send, sendJson } from '../../support/http.ts';
import { aPatient, type Fields, OPTIONAL_PROFILE } from '../../support/people.ts';
import { trailOf } from '../../support/privacy.ts';
import { restApi } from '../../support/rest-api.ts';
import { decide, newDoctor, newReviewer } from '../../support/reviews.ts';
import { accountOf, bearer } from '../../support/session.ts';
import { testClock, useTestApp } from '../../support/test-app.ts';

const app = useTestApp();
const limited = useTestApp({ RATE_LIMIT: 'on', RATE_LIMIT_REGISTRATIONS_PER_MINUTE: '4' });

const PATH = '/api/v1/auth/user/profile-information';

/** A patient who has given everything. */
async function aWholePatient(url = app.url) {
  const fields = aPatient({ phone: '+1 555 0199', dateOfBirth: '1984-05-17' });
  const { account, token } = authenticated(await restApi(url).registerPatient(fields));
  return { ...fields, id: account.id, token, authorization: `Bearer ${token}` };
}

const storedOf = async (_id: string) => ({
  account: await app.database.accounts.findOne({ _id }),
  profile: await app.database.profiles.findOne({ _id }),
});

const eventsOf = (accountId: string) => trailOf(app, { accountId, act: 'correction' });

throughEachApi((apiOf) => {
  test('a patient corrects some fields, and those that were not sent stay', async () => {
    const api = apiOf(app.url);
    const { id, authorization, token, ...before } = await aWholePatient();
    testClock.move(60_000);
    const sent = { name: '  Pat B. Ient ', dateOfBirth: '1984-05-18', language: 'de' };
    const { account } = succeeded(await api.updateMyProfile(sent, authorization));
    const after = { name: 'Pat B. Ient', phone: before.phone, dateOfBirth: '1984-05-18' };
    expect(account).toMatchObject({ id, email: before.email, role: 'patient', ...after });
    expect(await accountOf(app.url, token)).toMatchObject(after);
    const stored = await storedOf(id);
    expect(stored.account).toMatchObject({ language: 'de', updatedAt: new Date(testClock.now()) });
    expect(await eventsOf(id)).toMatchObject([{ outcome: 'success', reason: 'name, dateOfBirth, language' }]);
    expect(JSON.stringify(await eventsOf(id))).not.toContain('Pat');
    authenticated(await api.login(before));
  });

  test('an empty field is emptied if it may be, and the language alone changes no time', async () => {
    const api = apiOf(app.url);
    const { id, name, authorization } = await aWholePatient();
    const { account } = succeeded(await api.updateMyProfile({ phone: '', dateOfBirth: null }, authorization));
    expect(account).toMatchObject({ name, phone: null, dateOfBirth: null });
    const before = (await storedOf(id)).account;
    testClock.move(60_000);
    succeeded(await api.updateMyProfile({ language: 'en' }, authorization));
    expect((await storedOf(id)).account).toEqual({ ...before, language: 'en' });
    succeeded(await api.updateMyProfile({ language: null }, authorization));
    expect((await storedOf(id)).account).toMatchObject({ language: null });
  });

  test('what is the same changes nothing', async () => {
    const { id, name, phone, authorization } = await aWholePatient();
    const before = await storedOf(id);
    testClock.move(60_000);
    for (const fields of [{}, { name, phone }]) {
      succeeded(await apiOf(app.url).updateMyProfile(fields, authorization));
    }
    expect(await storedOf(id)).toEqual(before);
    expect(await eventsOf(id)).toMatchObject([
      { reason: 'nothing was different' },
      { reason: 'nothing was different' },
    ]);
  });

  test.each([
    [{ name: null }, { name: ['The name field is required.'] }],
    [{ name: ' ' }, { name: ['The name field is required.'] }],
    [{ name: 'a\nb' }, { name: ['The name field format is invalid.'] }],
    [{ name: 'x'.repeat(256) }, { name: ['The name field must not be greater than 255 characters.'] }],
    [{ phone: '\u0007' }, { phone: ['The phone field format is invalid.'] }],
    [{ language: 'DE' }, { language: ['The selected language is invalid: en or de.'] }],
    [
      { language: '__proto__', phone: '\u0007' },
      {
        phone: ['The phone field format is invalid.'],
        language: ['The selected language is invalid: en or de.'],
      },
    ],
    [{ licenseNumber: 'MD-1' }, { licenseNumber: ['The license number field is prohibited.'] }],
    [{ workHistory: 'x' }, { workHistory: ['The work history field is prohibited.'] }],
    [
      { publications: 'x'.repeat(5_001), phone: 'kept?' },
      { publications: ['The publications field must not be greater than 5000 characters.'] },
    ],
  ])('of a patient, %j is refused, and nothing of it is stored', async (fields, errors) => {
    const { id, authorization } = await aWholePatient();
    const before = await storedOf(id);
    expectInvalid(await apiOf(app.url).updateMyProfile(fields, authorization), errors);
    expect(await storedOf(id)).toEqual(before);
  });

  test('without a valid token nothing is corrected, and the answer does not speak of the fields', async () => {
    for (const authorization of [undefined, 'Bearer nonsense']) {
      refused(await apiOf(app.url).updateMyProfile({ name: null }, authorization), 'unauthenticated');
    }
    const { id, authorization } = await aWholePatient();
    await app.database.accounts.updateOne({ _id: id }, { $set: { disabledAt: new Date() } });
    const before = await storedOf(id);
    refused(await apiOf(app.url).updateMyProfile({ name: 'Other' }, authorization), 'unauthenticated');
    expect(await storedOf(id)).toEqual(before);
  });

  test('a doctor whom nobody has verified corrects everything at once, with a new revision', async () => {
    const { account, token } = await newDoctor(app);
    const sent = {
      ...{ name: 'Dr. Other', phone: '+1 555 0101', specialization: 'Neurology', licenseNumber: 'MD-2' },
      ...OPTIONAL_PROFILE,
    };
    const api = apiOf(app.url);
    const done = succeeded(await api.updateMyProfile(sent, `Bearer ${token}`));
    expect(done.account).toMatchObject({ name: sent.name, phone: sent.phone });
    const { profile, ...me } = (await accountOf(app.url, token)) ?? {};
    expect({ ...me, ...profile }).toMatchObject({ ...sent, verification: { status: 'PENDING' } });
    expect(profile?.proposal).toBeNull();
    const stored = await storedOf(account.id);
    expect(stored.profile).toMatchObject({ revision: 1 });
    expect(stored.profile).not.toHaveProperty('accountChange');
    succeeded(await api.updateMyProfile({ workHistory: '' }, `Bearer ${token}`));
    expect((await storedOf(account.id)).profile).toMatchObject({ revision: 2, workHistory: null });
    expect(await eventsOf(account.id)).toMatchObject([
      { reason: Object.keys(sent).join(', ') },
      { reason: 'workHistory' },
    ]);
  });

  test('a doctor cannot do without what a registration requires, and has no date of birth', async () => {
    const { account, token } = await newDoctor(app);
    const before = await storedOf(account.id);
    const sent = { phone: null, specialization: '', licenseNumber: ' ', dateOfBirth: '1984-05-17' };
    expectInvalid(await apiOf(app.url).updateMyProfile(sent, `Bearer ${token}`), {
      phone: ['The phone field is required.'],
      dateOfBirth: ['The date of birth field is prohibited.'],
      specialization: ['The specialization field is required.'],
      licenseNumber: ['The license number field is required.'],
    });
    expect(await storedOf(account.id)).toEqual(before);
  });
});

test('the answer is the account record of GET /api/v1/user, which may be sent back as it is', async () => {
  for (const { token } of [await aWholePatient(), await newDoctor(app)]) {
    const get = async () => jsonOf<Fields>(await send(`${app.url}/api/v1/user`, { headers: bearer(token) }));
    const record = await get();
    const put = (fields: Fields) => sendJson(`${app.url}${PATH}`, fields, bearer(token), 'PUT');
    const back = await put(record);
    expect([back.status, jsonOf(back)]).toEqual([200, record]);
    const corrected = await put({ ...record, name: 'Somebody Else', role: 'reviewer', id: 'x', unknown: 1 });
    expect(jsonOf(corrected)).toEqual(await get());
    expect(jsonOf(corrected)).toMatchObject({ name: 'Somebody Else', role: record.role, id: record.id });
  }
});

test('neither the e-mail nor the password is changed by this endpoint', async () => {
  const { id, email, token } = await aWholePatient();
  const before = await storedOf(id);
  const put = async (fields: Fields) => {
    const answer = await sendJson(`${app.url}${PATH}`, fields, bearer(token), 'PUT');
    return { status: answer.status, ...jsonOf<{ errors?: object }>(answer) };
  };
  for (const sent of ['other@example.org', 'nonsense', `${email}\0`]) {
    const { status, errors } = await put({ name: 'Not Stored', email: sent });
    expect([status, Object.keys(errors ?? {})]).toEqual([422, ['email']]);
  }
  const refusal = await put({ name: 'Not Stored', password: 'correct horse battery' });
  expect(refusal).toMatchObject({
    status: 422,
    errors: { password: ['The password field is prohibited.'] },
  });
  expect(await storedOf(id)).toEqual(before);
  expect(await put({ email: email.toUpperCase() })).toMatchObject({ status: 200 });
  expect(await storedOf(id)).toEqual(before);
});

test('the endpoint answers PUT alone, takes forms, and refuses those of other sites', async () => {
  const { token } = await aWholePatient();
  const other = await send(`${app.url}${PATH}`, { method: 'PATCH', headers: bearer(token) });
  expect([other.status, other.headers.get('allow')]).toEqual([405, 'PUT']);
  const form = (headers: Record<string, string>) =>
    send(`${app.url}${PATH}`, {
      method: 'PUT',
      headers: { ...bearer(token), 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      body: 'name=From+a+Form',
    });
  expect((await form({ Origin: 'https://other.example' })).status).toBe(403);
  expect(jsonOf(await form({}))).toMatchObject({ name: 'From a Form' });
});

test('a token of few abilities needs update', async () => {
  const { id, token } = await aWholePatient();
  const tokens = app.database.db.collection('access_tokens');
  const put = () => restApi(app.url).updateMyProfile({ name: 'Able' }, `Bearer ${token}`);
  await tokens.updateOne({ accountId: id }, { $set: { abilities: ['create', 'delete'] } });
  const answer = await sendJson(`${app.url}${PATH}`, { name: 'Able' }, bearer(token), 'PUT');
  expect(answer.status).toBe(403);
  await eventually(async () =>
    expect(await eventsOf(id)).toMatchObject([
      { outcome: 'failure', reason: 'the token lacks the ability update' },
    ]),
  );
  await tokens.updateOne({ accountId: id }, { $set: { abilities: ['update'] } });
  succeeded(await put());
});

test('corrections are limited like documents that are submitted again, and invalid ones do not count', async () => {
  const { token } = await aWholePatient(limited.url);
  const put = (name: unknown) => restApi(limited.url).updateMyProfile({ name }, `Bearer ${token}`);
  for (let i = 0; i < 3; i += 1) {
    expectInvalid(await put('\u0007'), { name: ['The name field format is invalid.'] });
    succeeded(await put(`Name ${i}`));
  }
  refused(await put('One More'), 'too many attempts');
  testClock.move(60_000);
  succeeded(await put('One More'));
});

test('of two corrections at once, both count', async () => {
  const patient = await aWholePatient();
  const doctor = await newDoctor(app);
  const apis = [restApi(app.url), graphqlApi(app.url)] as const;
  for (const { id, token } of [patient, { id: doctor.account.id, token: doctor.token }]) {
    const outcomes = await Promise.all([
      apis[0].updateMyProfile({ name: 'At Once' }, `Bearer ${token}`),
      apis[1].updateMyProfile({ phone: '+1 555 0102' }, `Bearer ${token}`),
    ]);
    outcomes.map((outcome) => succeeded(outcome));
    expect((await storedOf(id)).account).toMatchObject({ name: 'At Once', phone: '+1 555 0102' });
  }
  expect((await storedOf(doctor.account.id)).profile).toMatchObject({ revision: 2 });
});

test.each([
  ['SUSPEND', 'SUSPENDED'],
  ['REJECT', 'REJECTED'],
])('after %s, a correction counts at once and the doctor stays %s', async (decision, status) => {
  const reviewer = await newReviewer(app);
  const { account, token } = await newDoctor(app);
  const { id } = account;
  await decide(app, reviewer.token, { id, revision: 0, decision, reason: 'A reason.' } as never);
  const sent = { name: 'Dr. Corrected', licenseNumber: 'MD-3' };
  succeeded(await graphqlApi(app.url).updateMyProfile(sent, `Bearer ${token}`));
  expect(await accountOf(app.url, token)).toMatchObject({
    name: sent.name,
    profile: { licenseNumber: 'MD-3', proposal: null, verification: { status, reason: 'A reason.' } },
  });
  expect((await storedOf(id)).profile?.revision).toBe(2);
});
