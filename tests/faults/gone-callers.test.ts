import { setTimeout as wait } from 'node:timers/promises';
import { throughEachDoor } from '../support/doors.ts';
import { authenticated } from '../support/expectations.ts';
import { aPatient, freshEmail, freshPassword } from '../support/people.ts';
import { openRequest } from '../support/raw-http.ts';
import { useTestApp } from '../support/test-app.ts';

// Each hash takes a good tenth of a second, so that a hundred of them are a queue of many times its deadline.
const app = useTestApp({ BCRYPT_COST: '11' });
const CROWD = 100;

const LOGIN = 'mutation ($input: LoginInput!) { login(input: $input) { token } }';

/** Sends a login whose answer nobody will wait for. */
function sendLogin(door: 'REST' | 'GraphQL') {
  const input = { email: freshEmail(), password: freshPassword() };
  const [path, body] =
    door === 'REST' ? ['/api/v1/auth/login', input] : ['/graphql', { query: LOGIN, variables: { input } }];
  const req = openRequest(app.url, {
    method: 'POST',
    path,
    headers: { 'Content-Type': 'application/json' },
  });
  req.end(JSON.stringify(body));
  return req;
}

throughEachDoor((openDoor) => {
  test.each(['REST', 'GraphQL'] as const)(
    'logins by %s whose callers have disconnected delay nobody',
    async (door) => {
      const patient = aPatient();
      authenticated(await openDoor(app.url).registerPatient(patient));
      const crowd = Array.from({ length: CROWD }, () => sendLogin(door));
      await wait(500);
      for (const req of crowd) req.destroy();
      await wait(50);
      authenticated(await openDoor(app.url).login(patient));
    },
  );
});
