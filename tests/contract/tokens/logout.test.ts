import { once } from 'node:events';
import { throughEachApi } from '../../support/apis.ts';
import { authenticated, refused, succeeded } from '../../support/expectations.ts';
import { comparable } from '../../support/http.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { openSocket, parseAnswer, readToEnd } from '../../support/raw-socket.ts';
import { restApi } from '../../support/rest-api.ts';
import { accountOf } from '../../support/session.ts';
import { useTestApp } from '../../support/test-app.ts';

const app = useTestApp();

throughEachApi((apiOf) => {
  const logout = (authorization: string | undefined) => apiOf(app.url).logout(authorization);

  /** Somebody with two tokens. */
  async function somebody() {
    const patient = aPatient();
    const api = apiOf(app.url);
    const { account, token } = authenticated(await api.registerPatient(patient));
    const { token: other } = authenticated(await api.login(patient));
    return { account, token, other };
  }

  const expectUnauthenticated = async (authorization: string | undefined) => {
    const refusal = refused(await logout(authorization), 'unauthenticated');
    expect(refusal.message).toBe('Unauthenticated.');
    return refusal;
  };

  test('a logout revokes exactly the token that it presents, once', async () => {
    const { account, token, other } = await somebody();
    const bystander = await somebody();
    expect(succeeded(await logout(`Bearer ${token}`)).message).toBe('Logged out');
    expect(await accountOf(app.url, token)).toBeUndefined();
    await expectUnauthenticated(`Bearer ${token}`);
    expect(await accountOf(app.url, other)).toMatchObject({ id: account.id });
    expect(await accountOf(app.url, bystander.token)).toMatchObject({ id: bystander.account.id });
  });

  test('the registration token of a doctor can log out, and the account stays', async () => {
    const doctor = aDoctor();
    const { token } = authenticated(await apiOf(app.url).registerDoctor(doctor));
    succeeded(await logout(`Bearer ${token}`));
    authenticated(await apiOf(app.url).login(doctor));
  });

  test('exactly one of simultaneous logouts with one token succeeds', async () => {
    const { token } = await somebody();
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => logout(`Bearer ${token}`)));
    const refusals = outcomes.filter((outcome) => !outcome.ok);
    expect(refusals).toHaveLength(9);
    for (const refusal of refusals) {
      refused(refusal, 'unauthenticated');
    }
  });

  test.each(['Bearer', 'bearer', 'BEARER'])('the scheme may be spelled "%s"', async (scheme) => {
    const { token } = await somebody();
    succeeded(await logout(`${scheme} ${token}`));
  });

  test('the gateway refuses every invalid token with the same answer to the byte, and revokes nothing', async () => {
    const { account, token, other } = await somebody();
    const [id = '', secret = ''] = token.split('|');
    const [otherId = ''] = other.split('|');
    const lastDigit = secret.endsWith('0') ? '1' : '0';
    const invalid = [
      undefined,
      token,
      'Bearer rubbish',
      `Bearer unknown|${secret}`,
      `Basic ${Buffer.from(token).toString('base64')}`,
      `Token ${token}`,
      `Bearer${token}`,
      'Bearer',
      'Bearer ',
      `Bearer ${id}`,
      `Bearer ${secret}`,
      `Bearer |${secret}`,
      `Bearer ${id}|`,
      `Bearer ${otherId}|${secret}`,
      `Bearer ${id}|${secret.slice(0, -1)}${lastDigit}`,
      `Bearer ${id}|${secret}0`,
      `Bearer ${id}|${secret}, Bearer ${token}`,
      `Bearer ${token} ${token}`,
      `Bearer {"$gt":""}|${secret}`,
      `Bearer ${'x'.repeat(5_000)}`,
    ];
    const answers = new Set<string>();
    for (const authorization of invalid) {
      answers.add(JSON.stringify(comparable((await expectUnauthenticated(authorization)).http)));
    }
    expect(answers.size).toBe(1);
    expect(await accountOf(app.url, token)).toMatchObject({ id: account.id });
  });

  test('a token whose account is gone is no longer valid', async () => {
    const { account, token } = await somebody();
    await app.database.accounts.deleteOne({ _id: account.id });
    await expectUnauthenticated(`Bearer ${token}`);
  });
});

test.each([false, true])(
  'a request is refused if its session ends while its body is sent: %s',
  async (isEnded) => {
    const { token } = authenticated(await restApi(app.url).registerPatient(aPatient()));
    const socket = openSocket(app.url);
    const head = [
      'PUT /api/v1/auth/user/profile-information HTTP/1.1',
      `Host: ${new URL(app.url).host}`,
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      'Content-Length: 2',
      'Expect: 100-continue',
      'Connection: close',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    // The gateway asks for the body when it has looked at the token.
    const [asked] = (await once(socket, 'data')) as [Buffer];
    expect(asked.toString()).toMatch(/^HTTP\/1\.1 100 /);
    if (isEnded) {
      succeeded(await restApi(app.url).logout(`Bearer ${token}`));
    }
    socket.write('{}');
    const answer = parseAnswer(await readToEnd(socket));
    expect(answer?.status).toBe(isEnded ? 401 : 200);
  },
);
