import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import express from 'express';
import { authenticated, succeeded } from '../../../tests/support/expectations.ts';
import { jsonOf, send, sendJson } from '../../../tests/support/http.ts';
import { listenOnFreePort } from '../../../tests/support/listen.ts';
import { aPatient } from '../../../tests/support/people.ts';
import { restApi } from '../../../tests/support/rest-api.ts';
import { codeAt, enrol, nextCode, TWO_FACTOR } from '../../../tests/support/second-factor.ts';
import { APPOINTMENTS, SERVICES } from '../../../tests/support/services.ts';
import { bearer, tokenIdOf } from '../../../tests/support/session.ts';
import { testClock, useTestApp } from '../../../tests/support/test-app.ts';
import { createGuardWith } from '../src/create-guard.ts';

/* The guard with a real gateway: from the refusal of a service to the step-up that it asks for. */

const app = useTestApp({ ...SERVICES, ...TWO_FACTOR });
const REQUIRED =
  'Bearer error="insufficient_user_authentication", error_description="A different authentication level is required", acr_values="aal2", max_age="900"';

let server: Server;
let service = '';
beforeAll(async () => {
  const { id: client, secret } = APPOINTMENTS;
  const guard = createGuardWith({ url: app.url, client, secret, cacheMillis: 3_600_000 }, testClock);
  server = createServer(
    express().get('/records', guard.express({ acr: 'aal2', maxAge: 900 }), (req, res) => {
      const { accountId, acr, amr, authTime } = guard.session(req);
      res.json({ accountId, acr, amr, authTime });
    }),
  );
  service = `http://127.0.0.1:${await listenOnFreePort(server)}`;
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});

const read = (token: string) => send(`${service}/records`, { headers: bearer(token) });
const outcomeOf = async (token: string) => {
  const { status, headers } = await read(token);
  return [status, headers.get('www-authenticate')];
};

async function somebody() {
  const patient = aPatient();
  const { account, token } = authenticated(await restApi(app.url).registerPatient(patient));
  return { ...patient, id: String(account.id), token };
}

test('a password alone does not do, and a second factor lets pass at once', async () => {
  const person = await somebody();
  expect(await outcomeOf(person.token)).toEqual([401, REQUIRED]);
  const provenAt = Math.floor(testClock.now() / 1000) * 1000;
  const { token } = await enrol(app.url, person);
  expect(jsonOf(await read(token))).toEqual({
    accountId: person.id,
    acr: 'aal2',
    amr: ['pwd', 'otp', 'mfa'],
    authTime: new Date(provenAt).toISOString(),
  });
});

test('an old proof is refused from the cache, too, until a step-up', async () => {
  const person = await somebody();
  const { secretKey, token } = await enrol(app.url, person);
  expect(await outcomeOf(token)).toEqual([200, null]);
  testClock.move(900_000);
  await nextCode();
  expect(await outcomeOf(token)).toEqual([401, REQUIRED]);
  const stepUp = await sendJson(
    `${app.url}/api/v1/auth/user/confirm-two-factor`,
    { password: person.password, code: codeAt(secretKey) },
    bearer(token),
  );
  expect(await outcomeOf(jsonOf<{ token: string }>(stepUp).token)).toEqual([200, null]);
  // The presented token has ended, and only the cache still knows it.
  expect(await outcomeOf(token)).toEqual([401, REQUIRED]);
});

test('an imported token meets nothing, and a revoked one gets the plain 401', async () => {
  const imported = await somebody();
  const tokens = app.database.db.collection<{ _id: string }>('access_tokens');
  await tokens.updateOne({ _id: tokenIdOf(imported.token) }, { $unset: { amr: 1, authTime: 1 } });
  expect(await outcomeOf(imported.token)).toEqual([401, REQUIRED]);
  const revoked = await somebody();
  succeeded(await restApi(app.url).logout(bearer(revoked.token).Authorization));
  expect(await outcomeOf(revoked.token)).toEqual([401, 'Bearer']);
});
