import bcrypt from 'bcrypt';
import type { StoredAccount } from '../../../src/stores/accounts.ts';
import { authenticated, refused } from '../../support/expectations.ts';
import { hashWorkOf } from '../../support/hash-work.ts';
import { aPatient, freshEmail, freshPassword } from '../../support/people.ts';
import { storesWrongRecords } from '../../support/record-definitions.ts';
import { restApi } from '../../support/rest-api.ts';
import { useTestApp } from '../../support/test-app.ts';

storesWrongRecords();

const COST = 5;
const HIGHEST_COST = 6;
const LONGEST = 'x'.repeat(72);

const app = useTestApp({ BCRYPT_COST: String(COST) });

/** What PHP made of {@link LONGEST}, with parameters that take little time. */
const ARGON2 =
  '$argon2id$v=19$m=64,t=1,p=1$N2JFWm56M2pBZmlwd09RdQ$0qWCL6ga8RSHaak+3LHvpwKkWgpC65Rm/QwgcLPjOUA';

/** The rounds of bcrypt and the number of comparisons of argon2 during an act. */
async function workOf(act: () => Promise<unknown>) {
  const { rounds, argon2 } = await hashWorkOf(act);
  return { rounds, argon2: argon2.length };
}

/** The hashes that may be stored for a password. */
const STORED: Record<string, (password: string) => Promise<string> | string> = {
  'a hash of a lower cost': (password) => bcrypt.hash(password, COST - 1),
  "a hash of today's cost": (password) => bcrypt.hash(password, COST),
  'a hash of a higher cost': (password) => bcrypt.hash(password, HIGHEST_COST),
  'a hash of PHP': async (password) => (await bcrypt.hash(password, COST - 1)).replace('$2b$', '$2y$'),
  'an argon2 hash': () => ARGON2,
  'a corrupt hash': async (password) => (await bcrypt.hash(password, COST - 1)).slice(0, 40),
  'an empty hash': () => '',
};

const api = () => restApi(app.url);

const { email, ...patient } = aPatient();
beforeAll(async () => void authenticated(await api().registerPatient({ ...patient, email })));
/** Changes the stored account, which has nothing else of an earlier change. */
const store = async (changes: Partial<StoredAccount>) => {
  const $set = { disabledAt: null, phone: null, ...changes };
  expect((await app.database.accounts.updateOne({ email }, { $set })).matchedCount).toBe(1);
};

const fail = (email: string, password: string) =>
  workOf(async () => refused(await api().login({ email, password }), 'credentials'));

/** The gateway makes up for a higher cost, and for argon2, only after it has seen one. */
beforeAll(async () => {
  for (const passwordHash of [await bcrypt.hash(freshPassword(), HIGHEST_COST), ARGON2]) {
    await store({ passwordHash });
    await fail(email, freshPassword());
  }
});

describe.each(Object.entries(STORED))('with %s', (_name, hashOf) => {
  test.each<{ name: string; password: string; sent: string; changes: Partial<StoredAccount> }>([
    { name: 'a wrong password', password: LONGEST, sent: 'wrong password', changes: {} },
    {
      name: 'a wrong password in decomposed letters',
      password: LONGEST,
      sent: 'wrong passwo\u0308rd',
      changes: {},
    },
    {
      name: 'the right password of a disabled account',
      password: LONGEST,
      sent: LONGEST,
      changes: { disabledAt: new Date() },
    },
    {
      name: 'the right password of an account that cannot be shown',
      password: LONGEST,
      sent: LONGEST,
      changes: { phone: 42 as unknown as string },
    },
    {
      name: 'a wrong password of a disabled account',
      password: LONGEST,
      sent: 'wrong',
      changes: { disabledAt: new Date() },
    },
  ])(
    'a login with $name takes the work of one with an unknown e-mail',
    async ({ password, sent, changes }) => {
      await store({ passwordHash: await hashOf(password), ...changes });
      expect(await fail(email, sent)).toEqual(await fail(freshEmail(), sent));
    },
  );
});

const strict = Object.entries(STORED).filter(([name]) => name !== 'a hash of PHP');
test.each(strict)(
  'with %s, a login with a password that is longer than bcrypt reads takes that work, too',
  async (_name, hashOf) => {
    await store({ passwordHash: await hashOf(LONGEST) });
    expect(await fail(email, `${LONGEST}x`)).toEqual(await fail(freshEmail(), `${LONGEST}x`));
  },
);
