import { jest } from '@jest/globals';
import { MeDocument } from '../../src/client/generated/graphql.ts';
import { readConfig } from '../../src/config.ts';
import { throughEachDoor } from '../support/doors.ts';
import { registeredDoctor } from '../support/expectations.ts';
import { execute } from '../support/graphql-door.ts';
import { jsonOf, send } from '../support/http.ts';
import { aDoctor } from '../support/people.ts';
import { bearer } from '../support/session.ts';
import { useTestApp } from '../support/test-app.ts';

const SIGNED = { DOCUMENT_ACCESS: 'signed', DOCUMENT_URL_SECRET: 'a secret of the tests, long enough' };
const app = useTestApp(SIGNED);

afterEach(() => jest.restoreAllMocks());

/** How long an URL is valid by default: an hour. */
const VALID_MILLIS = 3_600_000;

/** Lets a while and a second pass on the clock of this process, which is the app's as well. */
function letTimePass(millis: number) {
  const now = Date.now() + millis + 1_000;
  jest.spyOn(Date, 'now').mockReturnValue(now);
}

async function expectRefused(url: string) {
  const http = await send(url);
  expect([http.status, jsonOf(http)]).toEqual([403, { message: 'Invalid signature.' }]);
}

throughEachDoor((openDoor) => {
  test('a registration tells signed URLs, which are valid for a while and cached by nobody else', async () => {
    const doctor = aDoctor();
    const { profile } = registeredDoctor(await openDoor(app.url).registerDoctor(doctor));
    for (const url of [profile.licenseFileUrl, profile.diplomaFileUrl, profile.certificationUrl]) {
      const { status, headers } = await send(url);
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toMatch(/^private, max-age=(3600|35\d\d), immutable$/);
    }
    expect((await send(profile.licenseFileUrl)).bytes.equals(doctor.licenseFile.bytes)).toBe(true);
  });

  test('me tells them anew, to the account itself', async () => {
    const { profile, token } = registeredDoctor(await openDoor(app.url).registerDoctor(aDoctor()));
    letTimePass(VALID_MILLIS);
    await expectRefused(profile.licenseFileUrl);
    const { body } = await execute(app.url, MeDocument, {}, bearer(token));
    const renewed = body.data?.me.profile?.licenseFileUrl ?? '';
    expect((await send(renewed)).status).toBe(200);
    expect(renewed.split('?')[0]).toBe(profile.licenseFileUrl.split('?')[0]);
    letTimePass(VALID_MILLIS);
    await expectRefused(renewed);
  });

  test('an URL that is changed in any way, or not signed at all, opens nothing', async () => {
    const { profile } = registeredDoctor(await openDoor(app.url).registerDoctor(aDoctor()));
    const url = new URL(profile.licenseFileUrl);
    const other = new URL(profile.diplomaFileUrl);
    const changed = (change: (url: URL) => void) => {
      const copy = new URL(url);
      change(copy);
      return copy.href;
    };
    const { signature = '', expires = '' } = Object.fromEntries(url.searchParams);
    const flipped = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
    for (const wrong of [
      changed((copy) => {
        copy.search = '';
      }),
      changed((copy) => copy.searchParams.delete('expires')),
      changed((copy) => copy.searchParams.set('expires', String(Number(expires) + 1))),
      changed((copy) => copy.searchParams.append('expires', expires)),
      changed((copy) => copy.searchParams.set('signature', flipped)),
      changed((copy) => copy.searchParams.set('signature', signature.slice(0, -4))),
      changed((copy) => copy.searchParams.set('signature', '')),
      changed((copy) => copy.searchParams.set('signature', '€')),
      changed((copy) => {
        copy.search = other.search;
      }),
      changed((copy) => {
        copy.pathname = other.pathname;
      }),
      // Whether there is such a document is nobody's business either.
      changed((copy) => {
        copy.pathname = `/storage/licenses/${'n'.repeat(40)}.pdf`;
      }),
    ]) {
      await expectRefused(wrong);
    }
    expect((await send(url.href)).status).toBe(200);
  });
});

test('signed URLs need a secret that is long enough', () => {
  const settings = { DOCUMENT_ACCESS: 'signed', DOCUMENT_URL_SECRET: 'short' };
  expect(() => readConfig(settings)).toThrow('DOCUMENT_URL_SECRET must be at least 32 characters');
  expect(() => readConfig({ DOCUMENT_ACCESS: 'signed' })).toThrow('DOCUMENT_URL_SECRET');
  expect(() => readConfig({ DOCUMENT_URL_SECRET: 'short' })).not.toThrow();
});
