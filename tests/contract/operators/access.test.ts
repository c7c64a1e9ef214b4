import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLField,
  GraphQLNonNull,
  getNamedType,
  isInputObjectType,
  isObjectType,
} from 'graphql';
import { authenticated, registeredDoctor } from '../../support/expectations.ts';
import { send } from '../../support/http.ts';
import {
  adminOf,
  newOperator,
  newStaffReviewer,
  OPERATOR_API,
  operate,
  type Staff,
} from '../../support/operators.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { afterSums, testClock, useTestApp } from '../../support/test-app.ts';

const app = useTestApp(OPERATOR_API);
const off = useTestApp();

/** The operations without a session. All others are for operators; `operator`, `stepUp` and `logout` also for reviewers. */
const OPEN = ['beginSetUp', 'finishSetUp', 'login', 'completeLogin'];
const FOR_REVIEWERS = ['operator', 'stepUp', 'logout'];

const schema = buildSchema(readFileSync('schema/operators.graphql', 'utf8'));

/** An operation with one root field, and values for its required arguments. */
function operationOf(kind: 'query' | 'mutation', field: GraphQLField<unknown, unknown>) {
  const args = field.args.filter(({ type }) => type instanceof GraphQLNonNull);
  const type = getNamedType(field.type);
  const selection = isObjectType(type) ? ' { __typename }' : '';
  const declared = args.map(({ name, type: of }) => `$${name}: ${of}`).join(', ');
  const given = args.map(({ name }) => `${name}: $${name}`).join(', ');
  const query = `${kind}${declared && ` (${declared})`} { ${field.name}${given && `(${given})`}${selection} }`;
  const variables = Object.fromEntries(args.map(({ name }) => [name, name === 'input' ? INPUT : 'nobody']));
  const inputs = args.flatMap(({ type: of }) => {
    const named = getNamedType(of);
    return isInputObjectType(named) ? Object.keys(named.getFields()) : [];
  });
  const input = Object.fromEntries(Object.entries(INPUT).filter(([name]) => inputs.includes(name)));
  return {
    name: field.name,
    kind,
    query,
    variables: args.some(({ name }) => name === 'input') ? { input } : variables,
  };
}

const INPUT = {
  ...{ account: 'nobody', version: 'v', reason: 'because', email: 'new@example.org', mail: 'm', act: 'a' },
  ...{ token: 'x', newPassword: 'battery staple 17', code: '123456', challenge: 'c', password: 'p' },
  ...{ name: 'Nobody', role: 'PATIENT' },
};

const OPERATIONS = [
  ...Object.values(schema.getQueryType()?.getFields() ?? {}).map((field) => operationOf('query', field)),
  ...Object.values(schema.getMutationType()?.getFields() ?? {}).map((field) =>
    operationOf('mutation', field),
  ),
];
const GUARDED = OPERATIONS.filter(({ name }) => !OPEN.includes(name));

let operator: Staff;
let reviewer: Staff;
/** Whose token the tests change. */
let other: Staff;
const tokens: Record<string, string | undefined> = {};
beforeAll(async () => {
  operator = await newOperator(app);
  reviewer = await newStaffReviewer(app);
  other = await newOperator(app);
  const former = await newOperator(app);
  await adminOf(app, 'accounts', 'disable', '--account', former.id);
  tokens.nobody = undefined;
  tokens['a former operator'] = former.token;
  tokens['a patient'] = authenticated(await restApi(app.url).registerPatient(aPatient())).token;
  tokens['a doctor'] = registeredDoctor(await restApi(app.url).registerDoctor(aDoctor())).token;
});

test('the schema has the operations that this test knows', () => {
  expect(OPERATIONS.map(({ name }) => name).sort()).toEqual([
    ...['account', 'accounts', 'auditEvents', 'beginSetUp', 'closeAccount', 'completeLogin', 'confirmAct'],
    ...[
      'correctEmail',
      'declineAct',
      'disableAccount',
      'enableAccount',
      'endSessions',
      'exportAccount',
      'finishSetUp',
    ],
    ...['invite', 'login', 'logout', 'openInvitations', 'operator', 'overview', 'removeSecondFactor'],
    ...['renewInvitation', 'resendMail', 'sendResetLink', 'stepUp', 'unlockAccount', 'waitingActs'],
    'withdrawInvitation',
  ]);
});

test.each(GUARDED)(
  '$name refuses nobody, a former operator, a patient and a doctor',
  async ({ query, variables }) => {
    for (const token of Object.values(tokens)) {
      expect(await operate(app, query, variables, token)).toMatchObject({ code: 'UNAUTHENTICATED' });
    }
  },
);

test.each(GUARDED.filter(({ name }) => !FOR_REVIEWERS.includes(name)))(
  '$name refuses a reviewer',
  async ({ query, variables }) => {
    expect(await operate(app, query, variables, reviewer.token)).toMatchObject({ code: 'FORBIDDEN' });
  },
);

test.each(GUARDED.filter(({ name }) => !FOR_REVIEWERS.includes(name)))(
  '$name refuses an operator without a second factor, and after some time',
  async ({ query, variables, kind }) => {
    const tokenId = other.token.split('|')[0] ?? '';
    const { tokens: accessTokens } = app.database;
    await accessTokens.updateOne({ _id: tokenId }, { $set: { amr: ['pwd'] } });
    const needs = { acr: 'aal2', maxAge: kind === 'query' ? 43_200 : 900 };
    const refusal = { code: 'INSUFFICIENT_USER_AUTHENTICATION', extensions: needs };
    expect(await operate(app, query, variables, other.token)).toMatchObject(refusal);
    await accessTokens.updateOne({ _id: tokenId }, { $unset: { amr: true } });
    expect(await operate(app, query, variables, other.token)).toMatchObject(refusal);
    const authTime = new Date(testClock.now() - (needs.maxAge + 1) * 1000);
    await accessTokens.updateOne({ _id: tokenId }, { $set: { amr: ['pwd', 'otp', 'mfa'], authTime } });
    expect(await operate(app, query, variables, other.token)).toMatchObject(refusal);
    const recent = new Date(testClock.now() - (needs.maxAge - 1) * 1000);
    await accessTokens.updateOne({ _id: tokenId }, { $set: { authTime: recent } });
    expect(await operate(app, query, variables, other.token)).not.toMatchObject({
      code: 'INSUFFICIENT_USER_AUTHENTICATION',
    });
  },
);

test('refusals of operations on others are in the audit trail', async () => {
  const [first] = GUARDED.filter(({ name }) => name === 'disableAccount');
  await operate(app, first?.query ?? '', first?.variables, reviewer.token);
  await afterSums(async () => {
    const found = await app.database.db
      .collection('audit_events')
      .findOne({ act: 'disabling', byAccountId: reviewer.id });
    expect(found).toMatchObject({ outcome: 'failure', reason: 'no operator', door: 'operators' });
  });
});

test('without OPERATOR_API there is nothing at these addresses', async () => {
  for (const path of ['/operators/graphql', '/operators', '/console', '/console/']) {
    expect(await send(`${off.url}${path}`, { headers: { Accept: 'text/html' } })).toMatchObject({
      status: 404,
    });
  }
});

test('the API has the rules of the other one: methods, media types, forms of other sites and limits', async () => {
  const url = `${app.url}/operators/graphql`;
  expect((await send(url, { method: 'PUT' })).status).toBe(405);
  const form = { 'Content-Type': 'text/plain' };
  expect((await send(url, { method: 'POST', headers: form, body: '{"query":"{__typename}"}' })).status).toBe(
    400,
  );
  const multipart = { 'Content-Type': 'multipart/form-data; boundary=a', 'Apollo-Require-Preflight': 'true' };
  const sent = await send(url, { method: 'POST', headers: multipart, body: '--a--' });
  expect([400, 415]).toContain(sent.status);
  const aliases = Array.from({ length: 20 }, (_, index) => `a${index}: operator { id }`).join(' ');
  expect(await operate(app, `{ ${aliases} }`, {}, operator.token)).toMatchObject({
    code: 'GRAPHQL_VALIDATION_FAILED',
  });
  const two = await operate(
    app,
    '{ a: account(id: "1") { id } b: account(id: "2") { id } }',
    {},
    operator.token,
  );
  expect(two).toMatchObject({ code: 'GRAPHQL_VALIDATION_FAILED' });
});
