import {
  addPasskey,
  anAuthenticator,
  aPasskeyOwner,
  confirmCredential,
  loginCredential,
  NOT_ACCEPTED,
  optionsOf,
  PASSKEYS,
  type PasskeyAnswer,
  passkeysByGraphql,
  passkeysByRest,
} from '../support/passkeys.ts';
import { aPerson } from '../support/second-factor.ts';
import { accountOf } from '../support/session.ts';
import { useInstances } from './support/instances.ts';

const AT_ONCE = 20;
const ROUNDS = 5;

const instances = useInstances(async () => ({ RATE_LIMIT: 'off', ...PASSKEYS }));

/** Does an act so often at once, at both instances and through both APIs. */
const atOnce = (act: (perform: ReturnType<typeof passkeysByRest>) => Promise<PasskeyAnswer>) => {
  const { a, b } = instances;
  const apis = [passkeysByRest(a), passkeysByGraphql(b), passkeysByGraphql(a), passkeysByRest(b)];
  return Promise.all(
    Array.from({ length: AT_ONCE }, (_, index) => act(apis[index % apis.length] ?? passkeysByRest(a))),
  );
};

const tokenOf = ({ data }: PasskeyAnswer) => String(data.token);

test('one assertion 20 times at once, at both instances and APIs: one wins', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { authenticator, id } = await aPasskeyOwner(instances.a, { counter: 1 });
    const credential = await loginCredential(instances.b, authenticator);
    const answers = await atOnce((perform) => perform('loginWithPasskey', { credential }));
    const [won, ...others] = answers.filter(({ ok }) => ok);
    expect(others).toEqual([]);
    expect(answers.filter(({ message }) => message === NOT_ACCEPTED)).toHaveLength(AT_ONCE - 1);
    expect(await accountOf(instances.b, tokenOf(won as PasskeyAnswer))).toMatchObject({ id });
    expect(await instances.workshop.database.tokens.countDocuments({ accountId: id })).toBe(2);
  }
});

test('one confirmation 20 times at once: one wins', async () => {
  const { authenticator, token } = await aPasskeyOwner(instances.a);
  const credential = await confirmCredential(instances.b, authenticator, token);
  const answers = await atOnce((perform) => perform('stepUp', { credential }, token));
  expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
});

test('one new passkey 20 times at once: it is added once', async () => {
  const person = await aPerson(instances.a);
  const act = passkeysByRest(instances.a);
  const options = optionsOf(await act('passkeyAddOptions', { password: person.password }, person.token));
  const credential = anAuthenticator().create(options);
  const answers = await atOnce((perform) => perform('addPasskey', { credential }, person.token));
  expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
  expect(
    await instances.workshop.database.db.collection('passkeys').countDocuments({ accountId: person.id }),
  ).toBe(1);
});

test('the first options at once give one user handle', async () => {
  const { password, token } = await aPerson(instances.a);
  const answers = await atOnce((perform) => perform('passkeyAddOptions', { password }, token));
  const handles = answers.filter(({ ok }) => ok).map((answer) => optionsOf(answer).user?.id);
  expect(handles.length).toBeGreaterThan(0);
  expect(new Set(handles).size).toBe(1);
});

test('a login beside the removal of its passkey leaves no session, or one from before', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const owner = await aPasskeyOwner(instances.a);
    const { authenticator, passkey, password, token } = owner;
    const credential = await loginCredential(instances.b, authenticator);
    const [login, removal] = await Promise.all([
      passkeysByRest(instances.b)('loginWithPasskey', { credential }),
      passkeysByRest(instances.a)('removePasskey', { id: passkey.id, password }, token),
    ]);
    expect(removal.ok).toBe(true);
    const stored = await instances.workshop.database.accounts.findOne({ _id: owner.id });
    expect(stored?.passkeys?.ids).toEqual([]);
    expect(
      await instances.workshop.database.db.collection('passkeys').countDocuments({ accountId: owner.id }),
    ).toBe(0);
    // A login that has failed has left no token.
    const tokens = await instances.workshop.database.tokens.countDocuments({ accountId: owner.id });
    expect(tokens).toBe(login.ok ? 2 : 1);
  }
});

test('two additions at once are both there, or one is refused whole', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const owner = await aPerson(instances.a);
    const added = await Promise.allSettled([addPasskey(instances.a, owner), addPasskey(instances.b, owner)]);
    const made = added.filter(({ status }) => status === 'fulfilled').length;
    const stored = await instances.workshop.database.accounts.findOne({ _id: owner.id });
    expect(stored?.passkeys?.ids).toHaveLength(made);
    expect(
      await instances.workshop.database.db.collection('passkeys').countDocuments({ accountId: owner.id }),
    ).toBe(made);
  }
});
