import { useWorkshop } from '../support/gateway-process.ts';
import { aPerson, byRest, codeAt, done, TEXTS, TWO_FACTOR } from '../support/second-factor.ts';
import { accountOf } from '../support/session.ts';
import { killedAt } from './support/killed-at.ts';

const workshop = useWorkshop();

/** The gateways keep the time of the machine. */
const codeNow = (secretKey: string, offset = 0) => codeAt(secretKey, offset, Date.now());

type Person = Awaited<ReturnType<typeof aPerson>>;

const gateway = { workshop, settings: TWO_FACTOR };

async function begun(url: string) {
  const person = await aPerson(url);
  const act = byRest(url);
  const { secretKey } = done<{ secretKey: string }>(
    await act('enableTwoFactor', { password: person.password }, person.token),
  );
  return { ...person, secretKey };
}

async function enrolled(url: string) {
  const person = await begun(url);
  const code = codeNow(person.secretKey);
  const confirmed = await byRest(url)('confirmTwoFactor', { code }, person.token);
  return { ...person, ...done<{ token: string; recoveryCodes: string[] }>(confirmed) };
}

/** The next gateway. Its tests end before the next kill. */
let url: string;
beforeAll(async () => {
  url = await workshop.start({ ...TWO_FACTOR, LOG_LEVEL: 'warn' }).url();
});

/** Whether the account has a second factor now. */
const isOn = async ({ id }: Person) =>
  (await workshop.database.accounts.findOne({ _id: id }))?.factors !== undefined;

// The first update of the account remembers the place of the code.
test.each([
  ['answered update factors 1', false],
  ['answered insert factors 1', false],
  ['answered update factors 2', false],
  ['answered insert access_tokens 1', false],
  ['sent update accounts 2', undefined],
  ['answered update accounts 2', true],
  ['answered delete access_tokens 1', true],
])(
  'a gateway that dies in a confirmation (%s) leaves a second factor whole, or none',
  async (moment, expected) => {
    const person = await killedAt(gateway, moment, begun, (at, { secretKey, token }) =>
      byRest(at)('confirmTwoFactor', { code: codeNow(secretKey) }, token),
    );
    const { email, password, secretKey, token } = person;
    const act = byRest(url);
    const on = await isOn(person);
    expect(expected ?? on).toBe(on);
    if (on) {
      // Nobody has seen its recovery codes, so new ones are made by a code.
      expect((await act('login', { email, password })).message).toBe(TEXTS.required);
      expect(await accountOf(url, token)).toBeUndefined();
      const found = done<{ token: string }>(
        await act('login', { email, password, code: codeNow(secretKey, 1) }),
      );
      expect(await accountOf(url, found.token)).toMatchObject({ email });
      expect(done(await act('myTwoFactor', {}, found.token))).toMatchObject({ recoveryCodesLeft: 10 });
    } else {
      done(await act('login', { email, password }));
      expect(await accountOf(url, token)).toMatchObject({ email });
      // It can be begun again.
      const { secretKey: next } = done<{ secretKey: string }>(
        await act('enableTwoFactor', { password }, token),
      );
      done(await act('confirmTwoFactor', { code: codeNow(next) }, token));
    }
  },
);

test.each([
  ['disableTwoFactor', 'sent update accounts 1', undefined],
  ['disableTwoFactor', 'answered update accounts 1', false],
  ['disableTwoFactor', 'answered delete factors 1', false],
  ['renewRecoveryCodes', 'answered insert factors 1', true],
  ['renewRecoveryCodes', 'answered update accounts 1', true],
] as const)('a gateway that dies in %s (%s) locks nobody out', async (name, moment, expected) => {
  const person = await killedAt(gateway, moment, enrolled, (at, { password, token, recoveryCodes }) =>
    byRest(at)(name, { password, recoveryCode: recoveryCodes[0] }, token),
  );
  const { email, password, secretKey, token } = person;
  const act = byRest(url);
  const on = await isOn(person);
  expect(expected ?? on).toBe(on);
  expect(await accountOf(url, token)).toMatchObject({ email });
  done(await act('login', { email, password, ...(on && { code: codeNow(secretKey, 1) }) }));
  expect(done(await act('myTwoFactor', {}, token))).toMatchObject({ enabled: on });
});

// The first change of a factor in a login counts the attempt.
test.each([
  ['answered findAndModify factors 2', 'recoveryCode'],
  ['answered update factors 2', 'code'],
] as const)('a gateway that dies in a login (%s) has used up its %s', async (moment, method) => {
  let proof = {};
  const { email, password, recoveryCodes } = await killedAt(gateway, moment, enrolled, (at, person) => {
    const [recoveryCode] = person.recoveryCodes;
    proof = method === 'code' ? { code: codeNow(person.secretKey, 1) } : { recoveryCode };
    return byRest(at)('login', { email: person.email, password: person.password, ...proof });
  });
  const act = byRest(url);
  expect((await act('login', { email, password, ...proof })).ok).toBe(false);
  done(await act('login', { email, password, recoveryCode: recoveryCodes[1] }));
});
