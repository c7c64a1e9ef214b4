import { send } from '../../support/http.ts';
import {
  adminOf,
  BEGIN,
  FINISH,
  newOperator,
  OPERATOR_API,
  operate,
  operated,
  setUp,
  setUpTokenOf,
  waitingStaff,
} from '../../support/operators.ts';
import { freshPassword } from '../../support/people.ts';
import { byGraphql, byRest, codeAt, nextCode, wrongCode } from '../../support/second-factor.ts';
import { accountOf, bearer } from '../../support/session.ts';
import { testClock, useTestApp } from '../../support/test-app.ts';

const app = useTestApp(OPERATOR_API);

const LOGIN = 'mutation ($input: LoginInput!) { login(input: $input) { token operator { role } } }';
const COMPLETE =
  'mutation ($input: CompleteLoginInput!) { completeLogin(input: $input) { token operator { role } } }';
const OPERATOR = '{ operator { id role email } }';

test('an operator sets password and app by one link, is logged in, and logs in with both', async () => {
  const waiting = await waitingStaff(app);
  const staff = await setUp(app, waiting);
  expect(await operated(app, OPERATOR, {}, staff.token)).toMatchObject({ id: waiting.id, role: 'OPERATOR' });
  const { email, password, secretKey } = staff;
  const challenged = await operate(app, LOGIN, { input: { email, password } });
  expect(challenged).toMatchObject({ code: 'TWO_FACTOR_REQUIRED', data: null });
  nextCode();
  const { challenge } = challenged.extensions;
  const done = await operated(app, COMPLETE, { input: { challenge, code: codeAt(secretKey) } });
  expect(done).toMatchObject({ operator: { role: 'OPERATOR' } });
  // The link was for one use.
  const again = await operate(app, BEGIN, { input: { token: waiting.token } });
  expect(again.extensions.errors).toEqual({
    token: ['This link is invalid or has expired. Ask for a new one.'],
  });
});

test('nobody logs in before the set-up, and a page that only looks does not use the link up', async () => {
  const { id, token, email } = await waitingStaff(app);
  expect((await send(`${app.url}/console?token=${token}`)).status).toBeLessThan(500);
  await operated(app, BEGIN, { input: { token } });
  testClock.move(1);
  const { secretKey } = await operated<{ secretKey: string }>(app, BEGIN, { input: { token } });
  const newPassword = freshPassword();
  const wrong = { token, newPassword, code: wrongCode(secretKey) };
  expect(await operate(app, FINISH, { input: wrong })).toMatchObject({ code: 'BAD_USER_INPUT' });
  const common = { token, newPassword: 'password1', code: codeAt(secretKey) };
  expect(await operate(app, FINISH, { input: common })).toMatchObject({ code: 'BAD_USER_INPUT' });
  expect((await operate(app, LOGIN, { input: { email, password: newPassword } })).code).toBe(
    'INVALID_CREDENTIALS',
  );
  expect(await app.database.accounts.findOne({ _id: id })).toMatchObject({ disabledAt: expect.any(Date) });
  const right = { token, newPassword, code: codeAt(secretKey) };
  const both = await Promise.all([
    operate(app, FINISH, { input: right }),
    operate(app, FINISH, { input: right }),
  ]);
  expect(both.filter(({ data }) => data).length).toBe(1);
});

test('a link ends after an hour, after another link, and when the account is changed', async () => {
  const { id, token, email } = await waitingStaff(app);
  const expired = async () => (await operate(app, BEGIN, { input: { token } })).extensions.errors;
  await operated(app, BEGIN, { input: { token } });
  testClock.move(3_600_001);
  expect(await expired()).toHaveProperty('token');
  const words = ['accounts', 'set-up-link', '--account', id, '--reason', 'expired', '--json'];
  testClock.move(-3_600_001);
  const other = setUpTokenOf((await adminOf(app, ...words)).json);
  expect(await expired()).toHaveProperty('token');
  await operated(app, BEGIN, { input: { token: other.token } });
  await adminOf(app, 'accounts', 'set-email', '--account', id, '--to', `new-${email}`);
  expect((await operate(app, BEGIN, { input: { token: other.token } })).extensions.errors).toHaveProperty(
    'token',
  );
});

test('neither GraphQL nor REST nor a service knows an operator', async () => {
  const { email, password, secretKey, token } = await newOperator(app);
  nextCode();
  for (const act of [byGraphql(app.url), byRest(app.url)]) {
    const answer = await act('login', { email, password, code: codeAt(secretKey) });
    expect(answer).toMatchObject({ ok: false, challenge: undefined });
    expect(answer.http.text).toContain('Invalid credentials');
  }
  expect(await accountOf(app.url, token)).toBeUndefined();
  expect((await send(`${app.url}/api/v1/user`, { headers: bearer(token) })).status).toBe(401);
});

test('a link for the password is no link for the set-up, and the other way round', async () => {
  const { id, token } = await waitingStaff(app);
  await adminOf(app, 'accounts', 'enable', '--account', id);
  const reset = await byRest(app.url)('login', {});
  expect(reset.ok).toBe(false);
  const response = await send(`${app.url}/api/v1/auth/reset-password`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify({ token, password: freshPassword() }),
  });
  expect(response.status).toBe(422);
  expect(response.text).toContain('This password reset token is invalid.');
});

test('the last operator stays, and a lost app needs the command line', async () => {
  await app.database.accounts.updateMany({ role: 'operator' }, { $set: { disabledAt: new Date() } });
  const staff = await newOperator(app);
  const disable = ['accounts', 'disable', '--account', staff.id];
  const kept = await adminOf(app, ...disable);
  expect(kept).toMatchObject({ code: 1, stderr: expect.stringContaining('the last operator') });
  const erased = await adminOf(app, 'accounts', 'erase', '--account', staff.id, '--now', '--yes');
  expect(erased).toMatchObject({ code: 1, stderr: expect.stringContaining('the last operator') });
  const reset = ['--account', staff.id, '--reason', 'lost'];
  const removed = await adminOf(app, 'two-factor', 'remove', '--as', 'Ada', ...reset);
  expect(removed).toMatchObject({ code: 2, stderr: expect.stringContaining('set-up-link') });
  const link = setUpTokenOf((await adminOf(app, 'accounts', 'set-up-link', ...reset, '--json')).json);
  expect((await operate(app, OPERATOR, {}, staff.token)).code).toBe('UNAUTHENTICATED');
  const again = await setUp(app, { ...link, email: staff.email });
  expect(await operated(app, OPERATOR, {}, again.token)).toMatchObject({ id: staff.id });
  await newOperator(app);
  expect((await adminOf(app, ...disable)).code).toBe(0);
  expect((await operate(app, OPERATOR, {}, again.token)).code).toBe('UNAUTHENTICATED');
});
