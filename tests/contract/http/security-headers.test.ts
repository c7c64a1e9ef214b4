import { MeDocument } from '../../../packages/client/src/generated/graphql.ts';
import { authenticated, registeredDoctor } from '../../support/expectations.ts';
import { execute } from '../../support/graphql-api.ts';
import { type HttpResponse, send, sendJson } from '../../support/http.ts';
import { aDoctor, aPatient } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { bearer } from '../../support/session.ts';
import { useTestApp } from '../../support/test-app.ts';

const app = useTestApp();

/** The headers of an answer that is data for programs (docs/contract.md, "Headers"; OWASP ASVS 5.0 chapter 3.4). */
const DATA_HEADERS = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

function expectDataHeaders({ headers }: HttpResponse) {
  expect(Object.fromEntries(headers)).toMatchObject(DATA_HEADERS);
  expect(headers.has('x-powered-by')).toBe(false);
  expect(headers.has('strict-transport-security')).toBe(false);
  // Nobody has asked for it.
  expect(headers.has('vary')).toBe(false);
}

test('the headers forbid the same for queries by GET, unreadable bodies, unknown paths and wrong methods', async () => {
  const { token } = authenticated(await restApi(app.url).registerPatient(aPatient()));
  const query = encodeURIComponent(String(MeDocument));
  const byGet = await send(`${app.url}/graphql?query=${query}`, {
    headers: { ...bearer(token), 'Apollo-Require-Preflight': 'true' },
  });
  expect(byGet.text).toContain('"me"');
  expectDataHeaders(byGet);
  expectDataHeaders((await execute(app.url, MeDocument, {}, bearer(token))).http);
  expectDataHeaders(await sendJson(`${app.url}/graphql`, '{'));
  expectDataHeaders(await sendJson(`${app.url}/api/v1/auth/login`, '{'));
  expectDataHeaders(await send(`${app.url}/nothing`));
  expectDataHeaders(await send(`${app.url}/api/v1/auth/login`));
});

test('pages of any origin may show a document under its own policy, and browsers may cache it, but no refusal', async () => {
  const { profile } = registeredDoctor(await restApi(app.url).registerDoctor(aDoctor()));
  const { headers } = await send(profile.licenseFileUrl);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'public, max-age=31536000, immutable',
  });
  expect(headers.has('x-frame-options')).toBe(false);
  // But not a refusal in its place.
  const refusals = [
    await send(`${app.url}/storage/licenses/${'n'.repeat(40)}.pdf`),
    await send(profile.licenseFileUrl, { headers: { Range: 'bytes=100000-' } }),
    await send(profile.licenseFileUrl, { headers: { 'If-Match': '"another"' } }),
    await send(profile.licenseFileUrl, { method: 'DELETE' }),
  ];
  expect(refusals.map(({ status }) => status)).toEqual([404, 416, 412, 405]);
  for (const { headers } of refusals) {
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  }
});
