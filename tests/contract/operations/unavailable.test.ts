import { type Outcome, throughEachApi } from '../../support/apis.ts';
import { isOfRequest } from '../../support/database-messages.ts';
import { useProxiedApp } from '../../support/database-proxy.ts';
import { authenticated, refused } from '../../support/expectations.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { expectQuarantineEmpty, testClock } from '../../support/test-app.ts';

const behind = useProxiedApp();

function expectUnavailable(outcome: Outcome): void {
  const { message, http } = refused(outcome, 'unavailable');
  expect([message, http.status]).toEqual(['Service Unavailable', 503]);
  expect(Number(http.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
}

throughEachApi((apiOf) => {
  test('every call gets 503 within 2 s of the clock when the database does not answer', async () => {
    const { app, proxy } = behind;
    const api = apiOf(app.url);
    const patient = aPatient();
    const { token } = authenticated(await api.registerPatient(patient));
    const { accounts, profiles } = await app.database.count();

    const commands = proxy.hold(isOfRequest);
    const calls = [
      api.login(patient),
      api.logout(`Bearer ${token}`),
      api.registerPatient(aPatient()),
      api.registerDoctor(aDoctor()),
    ];
    await commands.arrived(calls.length);
    await testClock.advance(2_000);
    // A call that still waits now will succeed.
    commands.release();
    for (const outcome of await Promise.all(calls)) {
      expectUnavailable(outcome);
    }

    authenticated(await api.login(patient));
    await expectQuarantineEmpty(app.storageDir);
    expect(await app.database.count()).toMatchObject({ accounts, profiles });
  });
});
