import {
  type Answer,
  aPerson,
  byGraphql,
  byRest,
  codeAt,
  done,
  type EnrolledPerson,
  TEXTS,
  TWO_FACTOR,
} from '../support/second-factor.ts';
import { accountOf } from '../support/session.ts';
import { useInstances } from './support/instances.ts';

const AT_ONCE = 20;
const ROUNDS = 6;

const instances = useInstances(async () => ({ RATE_LIMIT: 'off', ...TWO_FACTOR }));

/** Both APIs of both instances, in turn. */
const apis = () => {
  const { a, b } = instances;
  return [byRest(a), byGraphql(b), byGraphql(a), byRest(b)];
};

/** Does an act so often at once, at both instances and through both APIs. */
const atOnce = (
  act: (perform: ReturnType<typeof byRest>, index: number) => Promise<Answer>,
  times = AT_ONCE,
) =>
  Promise.all(
    Array.from({ length: times }, (_, index) => {
      const perform = apis()[index % apis().length];
      return act(perform ?? byRest(instances.a), index);
    }),
  );

/** The instances keep the time of the machine. @param offset 1 is also accepted, after the present one was used */
const codeNow = (secretKey: string, offset = 0) => codeAt(secretKey, offset, Date.now());

async function begin(person: { password: string; token: string }, proof: object = {}): Promise<string> {
  const act = byRest(instances.a);
  const fields = { password: person.password, ...proof };
  return done<{ secretKey: string }>(await act('enableTwoFactor', fields, person.token)).secretKey;
}

async function anEnrolled(): Promise<EnrolledPerson> {
  const person = await aPerson(instances.a);
  const secretKey = await begin(person);
  const act = byRest(instances.a);
  const confirmed = await act('confirmTwoFactor', { code: codeNow(secretKey) }, person.token);
  return {
    ...person,
    secretKey,
    first: person.token,
    ...done<Pick<EnrolledPerson, 'recoveryCodes' | 'token'>>(confirmed),
  };
}

const succeededOf = (answers: Answer[]) => answers.filter(({ ok }) => ok);

test('one code, sent twenty times at once, opens one session', async () => {
  const { secretKey, email, password } = await anEnrolled();
  const code = codeNow(secretKey, 1);
  const answers = await atOnce((act) => act('login', { email, password, code }));
  expect(succeededOf(answers)).toHaveLength(1);
  const texts = new Set(answers.filter(({ ok }) => !ok).map(({ message }) => message));
  expect([...texts]).toEqual([TEXTS.used]);
});

test('one recovery code, sent twenty times at once, opens one session, and one is gone', async () => {
  const { recoveryCodes, email, password, token } = await anEnrolled();
  const answers = await atOnce((act) => act('login', { email, password, recoveryCode: recoveryCodes[3] }));
  expect(succeededOf(answers)).toHaveLength(1);
  expect(done(await byRest(instances.b)('myTwoFactor', {}, token))).toMatchObject({ recoveryCodesLeft: 9 });
});

test('one challenge finishes one login, whatever proves it', async () => {
  const { recoveryCodes, email, password } = await anEnrolled();
  const { challenge } = await byRest(instances.a)('login', { email, password });
  const answers = await atOnce(
    (act, index) => act('completeLogin', { challenge, recoveryCode: recoveryCodes[index] }),
    recoveryCodes.length,
  );
  expect(succeededOf(answers)).toHaveLength(1);
});

test('a confirmation beside twenty logins leaves no session of the password alone', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const person = await aPerson(instances.a);
    const { email, password } = person;
    const secretKey = await begin(person);
    const confirm = byRest(instances.b)('confirmTwoFactor', { code: codeNow(secretKey) }, person.token);
    const [confirmed, answers] = await Promise.all([
      confirm,
      atOnce((act) => act('login', { email, password })),
    ]);
    const { token } = done<{ token: string }>(confirmed);
    for (const { data } of succeededOf(answers)) {
      expect(await accountOf(instances.a, String(data.token))).toBeUndefined();
    }
    expect(await accountOf(instances.b, token)).toMatchObject({ email });
  }
});

test('one app is confirmed once, and one step-up ends one token', async () => {
  const person = await aPerson(instances.a);
  const { email, password } = person;
  const secretKey = await begin(person);
  const codes = [codeNow(secretKey), codeNow(secretKey, 1)];
  const confirmed = succeededOf(
    await atOnce((act, index) => act('confirmTwoFactor', { code: codes[index % 2] }, person.token)),
  );
  expect(confirmed).toHaveLength(1);
  const { token, recoveryCodes } = done<EnrolledPerson>(confirmed[0] as Answer);
  const steppedUp = succeededOf(
    await atOnce(
      (act, index) => act('stepUp', { password, recoveryCode: recoveryCodes[index] }, token),
      recoveryCodes.length,
    ),
  );
  expect(steppedUp).toHaveLength(1);
  expect(await instances.workshop.database.tokens.countDocuments({ accountId: person.id })).toBe(1);
  expect((await byRest(instances.a)('login', { email, password })).message).toBe(TEXTS.required);
});

test.each([
  ['confirmTwoFactor', 'disableTwoFactor'],
  ['confirmTwoFactor', 'enableTwoFactor'],
  ['confirmTwoFactor', 'renewRecoveryCodes'],
  ['renewRecoveryCodes', 'renewRecoveryCodes'],
  ['disableTwoFactor', 'renewRecoveryCodes'],
] as const)('%s and %s at once leave a second factor whole, or none', async (first, second) => {
  const { accounts, db } = instances.workshop.database;
  for (let round = 0; round < ROUNDS; round += 1) {
    const person = await anEnrolled();
    const { email, password, secretKey } = person;
    const secondKey = await begin(person, { recoveryCode: person.recoveryCodes[0] });
    const proofOf = (act: string, recoveryCode = '') =>
      act === 'confirmTwoFactor' ? { code: codeNow(secondKey) } : { password, recoveryCode };
    const answers = await Promise.all([
      byRest(instances.a)(first, proofOf(first, person.recoveryCodes[1]), person.token),
      byGraphql(instances.b)(second, proofOf(second, person.recoveryCodes[2]), person.token),
    ]);
    // Whoever comes too late hears so; nothing is ever an unexpected error.
    expect(answers.filter(({ http }) => http.status === 500 || http.text.includes('INTERNAL'))).toEqual([]);
    const { factors } = (await accounts.findOne({ _id: person.id })) ?? {};
    const act = byRest(instances.b);
    if (!factors) {
      done(await act('login', { email, password }));
      continue;
    }
    const ids = [String(factors.app), String(factors.codes)];
    const stored = await db
      .collection<{ _id: string }>('factors')
      .find({ _id: { $in: ids } })
      .toArray();
    expect(stored).toHaveLength(2);
    const codes = [codeNow(secretKey, 1), codeNow(secondKey, 1)];
    const logins = [];
    for (const code of codes) {
      logins.push(await act('login', { email, password, code }));
    }
    expect(succeededOf(logins)).toHaveLength(1);
    const shown = answers.flatMap(({ data }) => (data.recoveryCodes as string[] | undefined) ?? []);
    const left = [...shown, ...person.recoveryCodes.slice(3)];
    const withCodes = [];
    for (const recoveryCode of [left[0], left.at(-1), shown.at(-1)].filter((code) => code !== undefined)) {
      withCodes.push(await act('login', { email, password, recoveryCode }));
    }
    expect(succeededOf(withCodes).length).toBeGreaterThanOrEqual(1);
  }
});
