import { performance } from 'node:perf_hooks';
import { useProxiedApp } from '../support/database-proxy.ts';
import { type Outcome, throughEachDoor } from '../support/doors.ts';
import { eventually } from '../support/eventually.ts';
import { authenticated, refused } from '../support/expectations.ts';
import { aDoctor, aPatient, freshEmail } from '../support/people.ts';
import { withRetries } from '../support/retries.ts';
import { expectQuarantineEmpty } from '../support/test-app.ts';

/** Checks that the service is not available for now, in the words and headers of design section 1. */
function expectUnavailable(outcome: Outcome) {
  const { message, http } = refused(outcome, 'unavailable');
  expect(message).toBe('Service Unavailable');
  expect(http.status).toBe(503);
  expect(Number(http.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
}

describe('when the database goes away', () => {
  const behind = useProxiedApp();

  const PROMISED_MILLIS = 2_000;

  /** Has everything called at once, checks that each call is told that the service is away, and how long all of it took. */
  async function expectAllUnavailable(calls: (() => Promise<Outcome>)[]): Promise<number> {
    const start = performance.now();
    const outcomes = await Promise.all(calls.map((call) => call()));
    const durationMillis = performance.now() - start;
    for (const outcome of outcomes) expectUnavailable(outcome);
    return durationMillis;
  }

  throughEachDoor((openDoor) => {
    describe.each(['cut', 'swallow'] as const)('by "%s"', (fault) => {
      let token: string;
      const patient = aPatient();
      beforeAll(async () => {
        // The fault before this one may just have ended.
        await eventually(async () => {
          patient.email = freshEmail();
          ({ token } = authenticated(await openDoor(behind.app.url).registerPatient(patient)));
        });
        behind.proxy[fault]();
      });
      afterAll(() => behind.proxy.restore());

      test('every call gets 503 within 2 s when the database goes away', async () => {
        const door = openDoor(behind.app.url);
        const calls = [
          () => door.login(patient),
          () => door.logout(`Bearer ${token}`),
          () => door.registerPatient(aPatient()),
          () => door.registerDoctor(aDoctor()),
        ];
        await withRetries(async () => {
          expect(await expectAllUnavailable(calls)).toBeLessThan(PROMISED_MILLIS);
        });
        await expectQuarantineEmpty(behind.app.storageDir);
      });

      test('everything works when the database is back, and nothing half done is visible', async () => {
        behind.proxy.restore();
        await eventually(async () => authenticated(await openDoor(behind.app.url).login(patient)));
        expect(await behind.app.database.accounts.countDocuments({ role: 'doctor' })).toBe(0);
      });
    });
  });
});
