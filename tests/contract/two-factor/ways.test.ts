import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLObjectType, getNamedType, isInputObjectType, isObjectType } from 'graphql';
import { levelOf } from '../../../src/auth/tokens/assurance.ts';
import { authenticated, registeredDoctor } from '../../support/expectations.ts';
import { openApiDocument } from '../../support/openapi.ts';
import {
  accepted,
  aPasskeyOwner,
  confirmCredential,
  loginCredential,
  PASSKEYS,
  passkeysByRest,
} from '../../support/passkeys.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import {
  aStoredOwner,
  aStoredPerson,
  byRest,
  codeAt,
  done,
  enrol,
  TWO_FACTOR,
} from '../../support/second-factor.ts';
import { tokenIdOf } from '../../support/session.ts';
import { useTestApp } from '../../support/test-app.ts';

const app = useTestApp({ ...TWO_FACTOR, ...PASSKEYS });

const PAGE = readFileSync('docs/security/second-factor.md', 'utf8');
/** The rows of the table: each operation, what it asks for, and what it gives. */
const ROWS = new Map(
  [...PAGE.matchAll(/^\| `(\w+)` \| (.*) \| (.*) \|$/gm)].map(([, name = '', asks, gives = '']) => [
    name,
    { asks, gives },
  ]),
);
const [, rest = ''] = /^No other operation ([\s\S]*?)\n\n/m.exec(PAGE) ?? [];
const OTHERS = [...rest.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);

const schema = buildSchema(readFileSync('schema/schema.graphql', 'utf8'));
const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
  Object.values((type as GraphQLObjectType).getFields()),
);
const operations = Object.values(openApiDocument().paths).flatMap((item) => Object.values(item));

/** What opens an account, in an answer or in an input. */
const SECRET =
  /^(?:token|recovery_?codes?|secret_?key|(?:current|new)?password|password_confirmation|code|challenge|credential)$/i;

test('every operation of both APIs is in the table of ways, or among those that give nothing', () => {
  const known = [...fields.map(({ name }) => name), ...operations.map(({ operationId }) => operationId)];
  // Only a subgraph has these.
  const all = new Set([...known, '_entities', '_service']);
  expect([...ROWS.keys(), ...OTHERS].sort()).toEqual([...all].sort());
});

test('whatever takes or gives a secret of an account is in the table', () => {
  const named = fields.filter(({ type, args }) => {
    const answer = getNamedType(type);
    const inputs = args.flatMap(({ name, type: given }) => {
      const input = getNamedType(given);
      return isInputObjectType(input) ? Object.keys(input.getFields()) : [name];
    });
    const answers = isObjectType(answer) ? Object.keys(answer.getFields()) : [];
    return [...inputs, ...answers].some((name) => SECRET.test(name));
  });
  // The link proves an e-mail, and the challenge only says whose.
  const exceptions = ['requestEmailVerification'];
  const missing = named
    .map(({ name }) => name)
    .filter((name) => !ROWS.has(name) && !exceptions.includes(name));
  expect(named.length).toBeGreaterThan(10);
  expect(missing).toEqual([]);
});

/** Each way to a token: without proof, and with proof where that gives more. */
const WAYS: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
  registerDoctor: async () => ({
    aal1: registeredDoctor(await restApi(app.url).registerDoctor(aDoctor())).token,
  }),
  registerPatient: async () => ({
    aal1: authenticated(await restApi(app.url).registerPatient(aPatient())).token,
  }),
  login: async () => {
    const [person, enrolled] = [await aStoredPerson(app.database), await aStoredOwner(app.database)];
    const login = async ({ email, password }: Pick<typeof person, 'email' | 'password'>, proof: object) =>
      tokenOf(await act('login', { email, password, ...proof }));
    const { secretKey, recoveryCodes } = enrolled;
    const byCode = await login(enrolled, { code: codeAt(secretKey) });
    const byRecoveryCode = await login(enrolled, { recoveryCode: recoveryCodes[0] });
    expect([await levelOfToken(byCode), await levelOfToken(byRecoveryCode)]).toEqual(['aal2', 'aal2']);
    return { aal1: await login(person, {}), aal2: byCode };
  },
  completeLogin: async () => {
    const { email, password, secretKey } = await aStoredOwner(app.database);
    const { challenge } = await act('login', { email, password });
    return { aal2: tokenOf(await act('completeLogin', { challenge, code: codeAt(secretKey) })) };
  },
  stepUp: async () => {
    const [person, enrolled] = [await aStoredPerson(app.database), await aStoredOwner(app.database)];
    const proof = { password: enrolled.password, code: codeAt(enrolled.secretKey) };
    return {
      aal1: tokenOf(await act('stepUp', { password: person.password }, person.token)),
      aal2: tokenOf(await act('stepUp', proof, enrolled.token)),
    };
  },
  loginWithPasskey: async () => {
    const { authenticator } = await aPasskeyOwner(app.url);
    const credential = await loginCredential(app.url, authenticator);
    const answer = await passkeysByRest(app.url)('loginWithPasskey', { credential });
    return { aal2: accepted<{ token: string }>(answer).token };
  },
  confirmPasskey: async () => {
    const { authenticator, token } = await aPasskeyOwner(app.url);
    const credential = await confirmCredential(app.url, authenticator, token);
    const answer = await passkeysByRest(app.url)('stepUp', { credential }, token);
    return { aal2: accepted<{ token: string }>(answer).token };
  },
  confirmTwoFactor: async () => ({ aal2: (await enrol(app.url, await aStoredPerson(app.database))).token }),
};

const act = (...words: Parameters<ReturnType<typeof byRest>>) => byRest(app.url)(...words);
const tokenOf = (answer: Awaited<ReturnType<typeof act>>) => done<{ token: string }>(answer).token;
const levelOfToken = async (token: string) =>
  levelOf((await app.database.tokens.findOne({ _id: tokenIdOf(token) })) ?? {});

test('each way to a token gives the level of its row', async () => {
  const givesToken = [...ROWS].filter(([, { gives }]) => /\ba token, `aal/.test(gives));
  expect(givesToken.map(([name]) => name).sort()).toEqual(Object.keys(WAYS).sort());
  for (const [name, { gives }] of givesToken) {
    const tokens = (await WAYS[name]?.()) ?? {};
    expect({ [name]: Object.keys(tokens) }).toEqual({ [name]: gives.match(/aal\d/g) });
    for (const [level, token] of Object.entries(tokens)) {
      expect({ [name]: await levelOfToken(token) }).toEqual({ [name]: level });
    }
  }
});
