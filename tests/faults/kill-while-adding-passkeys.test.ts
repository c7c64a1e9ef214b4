import { useWorkshop } from '../support/gateway-process.ts';
import {
  accepted,
  addPasskey,
  anAuthenticator,
  aPasskeyOwner,
  loginCredential,
  optionsOf,
  PASSKEYS,
  passkeysByRest,
} from '../support/passkeys.ts';
import { aPerson } from '../support/second-factor.ts';
import { accountOf } from '../support/session.ts';
import { killedAt } from './support/killed-at.ts';

const workshop = useWorkshop();
const gateway = { workshop, settings: PASSKEYS };

/** The next gateway. */
let url: string;
beforeAll(async () => {
  url = await workshop.start({ ...PASSKEYS, LOG_LEVEL: 'warn' }).url();
});

const login = async (authenticator: ReturnType<typeof anAuthenticator>) =>
  passkeysByRest(url)('loginWithPasskey', { credential: await loginCredential(url, authenticator) });

test.each([
  ['answered insert challenges 1', false],
  ['answered insert passkeys 1', false],
  ['sent update accounts 1', undefined],
  ['answered update accounts 1', true],
])('a gateway that dies in an addition (%s) leaves a passkey whole, or none', async (moment, expected) => {
  const prepare = async (at: string) => {
    const person = await aPerson(at);
    const { password, token } = person;
    const options = optionsOf(await passkeysByRest(at)('passkeyAddOptions', { password }, token));
    const authenticator = anAuthenticator();
    return { ...person, authenticator, credential: authenticator.create(options) };
  };
  const person = await killedAt(gateway, moment, prepare, (at, { credential, token }) =>
    passkeysByRest(at)('addPasskey', { credential }, token),
  );
  const { authenticator, token, id } = person;
  const stored = await workshop.database.accounts.findOne({ _id: id });
  const on = stored?.passkeys?.ids.length === 1;
  expect(expected ?? on).toBe(on);
  expect(await login(authenticator)).toMatchObject(on ? { ok: true } : { ok: false, isUnknown: true });
  expect(await accountOf(url, token)).toMatchObject({ id });
  // Another one can be added.
  accepted(await login((await addPasskey(url, person)).authenticator));
});

test.each(['answered update accounts 1', 'answered delete passkeys 1'])(
  'a gateway that dies in a removal (%s) has removed the passkey',
  async (moment) => {
    const { authenticator, token, id } = await killedAt(
      gateway,
      moment,
      aPasskeyOwner,
      (at, { passkey, password, token: own }) =>
        passkeysByRest(at)('removePasskey', { id: passkey.id, password }, own),
    );
    expect(await login(authenticator)).toMatchObject({ ok: false, isUnknown: true });
    expect(await accountOf(url, token)).toMatchObject({ id });
  },
);

test.each(['answered insert challenges 1', 'answered update passkeys 1', 'answered insert access_tokens 1'])(
  'a gateway that dies in a login (%s) has used its challenge up, and leaves the passkey',
  async (moment) => {
    let credential = {};
    const { authenticator } = await killedAt(gateway, moment, aPasskeyOwner, async (at, owner) => {
      credential = await loginCredential(at, owner.authenticator);
      return passkeysByRest(at)('loginWithPasskey', { credential });
    });
    expect((await passkeysByRest(url)('loginWithPasskey', { credential })).ok).toBe(false);
    accepted(await login(authenticator));
  },
);
