import { registeredDoctor } from '../../support/expectations.ts';
import { send } from '../../support/http.ts';
import {
  adminOf,
  newOperator,
  newStaffReviewer,
  OPERATOR_API,
  operate,
  type Staff,
} from '../../support/operators.ts';
import { aDoctor } from '../../support/people.ts';
import { auditEvents } from '../../support/privacy.ts';
import { restApi } from '../../support/rest-api.ts';
import { tokenIdOf } from '../../support/session.ts';
import { afterSums, testClock, useTestApp } from '../../support/test-app.ts';

const app = useTestApp(OPERATOR_API);
const off = useTestApp();

// The table of operations has nobody, patients, reviewers and old proofs for each operation.

const DISABLE = 'mutation ($input: AccountChangeInput!) { disableAccount(input: $input) { id } }';
/** A reading and a change. */
const OPERATIONS = {
  query: { query: '{ accounts { nodes { id } } }', maxAge: 43_200, variables: {} },
  mutation: {
    query: DISABLE,
    maxAge: 900,
    variables: { input: { account: 'nobody', version: 'v', reason: 'because' } },
  },
};

let operator: Staff;
let reviewer: Staff;
beforeAll(async () => {
  operator = await newOperator(app);
  reviewer = await newStaffReviewer(app);
});

describe.each(Object.entries(OPERATIONS))('a %s', (_, { query, variables, maxAge }) => {
  const codeFor = async (token: string) => (await operate(app, query, variables, token)).code;

  test('refuses a former operator and a doctor', async () => {
    const former = await newOperator(app);
    await adminOf(app, 'accounts', 'disable', '--account', former.id);
    const doctor = registeredDoctor(await restApi(app.url).registerDoctor(aDoctor()));
    for (const { token } of [former, doctor]) {
      expect(await codeFor(token)).toBe('UNAUTHENTICATED');
    }
  });

  test('refuses an operator without a second factor, and after some time', async () => {
    const { token } = await newOperator(app);
    const ago = (seconds: number) => new Date(testClock.now() - seconds * 1000);
    const proven = { amr: ['pwd', 'otp', 'mfa'] };
    const refusal = {
      code: 'INSUFFICIENT_USER_AUTHENTICATION',
      extensions: { acr: 'aal2', maxAge },
    };
    for (const change of [
      { $set: { amr: ['pwd'] } },
      { $unset: { amr: true as const } },
      { $set: { ...proven, authTime: ago(maxAge + 1) } },
    ]) {
      await app.database.tokens.updateOne({ _id: tokenIdOf(token) }, change);
      expect(await operate(app, query, variables, token)).toMatchObject(refusal);
    }
    const authTime = ago(maxAge - 1);
    await app.database.tokens.updateOne({ _id: tokenIdOf(token) }, { $set: { ...proven, authTime } });
    expect(await codeFor(token)).not.toBe(refusal.code);
  });
});

test('refusals of operations on others are in the audit trail', async () => {
  const { query, variables } = OPERATIONS.mutation;
  await operate(app, query, variables, reviewer.token);
  await afterSums(async () => {
    const found = await auditEvents(app).findOne({ act: 'disabling', byAccountId: reviewer.id });
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
