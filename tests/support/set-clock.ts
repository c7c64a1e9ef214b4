import { throughEachApi } from './apis.ts';
import { authenticated, refused, registeredDoctor, succeeded } from './expectations.ts';
import { jsonOf, send, sendJson } from './http.ts';
import { aDoctor, aPatient } from './people.ts';
import { accountOf, bearer, tokenIdOf } from './session.ts';

export const DAY_MILLIS = 86_400_000;
const LOGINS_PER_MINUTE = 3;

/** The settings of a gateway for {@link testSetClock}. */
export const CLOCK_SETTINGS = {
  DOCUMENT_ACCESS: 'signed',
  DOCUMENT_URL_SECRET: 'a secret of more than thirty-two characters',
  RATE_LIMIT: 'on',
  RATE_LIMIT_LOGINS_PER_MINUTE: String(LOGINS_PER_MINUTE),
  RATE_LIMIT_REGISTRATIONS_PER_MINUTE: '1000',
};

interface MyTokens {
  data?: { myTokens: { id: string }[] };
}

/** The ids of all tokens of the account that a token belongs to. */
async function myTokens(url: string, token: string): Promise<string[]> {
  const http = await sendJson(`${url}/graphql`, { query: '{ myTokens { id } }' }, bearer(token));
  const { data } = jsonOf<MyTokens>(http);
  if (!data) {
    throw new Error(`no answer: ${http.text}`);
  }
  return data.myTokens.map(({ id }) => id);
}

/**
 * The tests of a gateway whose time of day is set while it runs.
 * @param url the address of the gateway, once it runs
 * @param setOffset sets how far its time of day is ahead of the start
 */
export function testSetClock(url: () => string, setOffset: (millis: number) => unknown): void {
  throughEachApi((apiOf) => {
    test.each([
      ['back a day', [-DAY_MILLIS]],
      ['forward a day', [DAY_MILLIS]],
      ['forward a day and back', [DAY_MILLIS, 0]],
    ])(
      'when the clock moves %s, sessions stay valid, and logins and logouts work',
      async (_case, offsets) => {
        const api = apiOf(url());
        const doctor = aDoctor();
        const { token, profile } = registeredDoctor(await api.registerDoctor(doctor));
        for (const offset of offsets) {
          await setOffset(offset);
          expect((await accountOf(url(), token))?.email).toBe(doctor.email);
          const again = authenticated(await api.login(doctor)).token;
          expect(await myTokens(url(), again)).toContain(tokenIdOf(token));
          succeeded(await api.logout(`Bearer ${again}`));
          refused(await api.logout(`Bearer ${again}`), 'unauthenticated');
          const other = registeredDoctor(await api.registerDoctor(aDoctor()));
          expect((await send(other.profile.licenseFileUrl)).status).toBe(200);
        }
        // A day later the URL of a document has expired; a day earlier it has not.
        const statusThen = offsets.at(-1) === DAY_MILLIS ? 403 : 200;
        expect((await send(profile.licenseFileUrl)).status).toBe(statusThen);
        succeeded(await api.logout(`Bearer ${token}`));
        refused(await api.logout(`Bearer ${token}`), 'unauthenticated');
      },
    );

    test('a clock that is set back locks no account until it has caught up', async () => {
      const api = apiOf(url());
      const patient = aPatient();
      authenticated(await api.registerPatient(patient));
      const guessUntilRefused = async () => {
        const wrong = { ...patient, password: 'not this one' };
        for (let i = 0; i < LOGINS_PER_MINUTE; i += 1) {
          refused(await api.login(wrong), 'credentials');
        }
        const refusal = refused(await api.login(wrong), 'too many attempts');
        expect(Number(refusal.http.headers.get('retry-after'))).toBeLessThanOrEqual(60);
      };
      await guessUntilRefused();
      await setOffset(-DAY_MILLIS);
      await guessUntilRefused();
      // So little that the count may still be right.
      await setOffset(-DAY_MILLIS - 50_000);
      const refusal = refused(await api.login(patient), 'too many attempts');
      expect(refusal.http.headers.get('retry-after')).toBe('60');
      await setOffset(-2 * DAY_MILLIS);
      authenticated(await api.login(patient));
    });
  });
}
