import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { MeDocument } from '../../packages/client/src/generated/graphql.ts';
import { UrlSigner } from '../../src/documents/document-urls.ts';
import { throughEachApi } from '../support/apis.ts';
import { registeredDoctor } from '../support/expectations.ts';
import { execute } from '../support/graphql-api.ts';
import { jsonOf, send } from '../support/http.ts';
import { aDoctor } from '../support/people.ts';
import { openRequest } from '../support/raw-http.ts';
import { restApi } from '../support/rest-api.ts';
import { bearer } from '../support/session.ts';
import { testClock, useTestApp } from '../support/test-app.ts';
import { LOCAL, s3Store, useAppWith } from './support/stores.ts';

const SIGNED = { DOCUMENT_ACCESS: 'signed', DOCUMENT_URL_SECRET: 'a secret of the tests, long enough' };
const app = useTestApp(SIGNED);

/** URLs are valid for an hour by default. */
const AFTER_THE_END_MILLIS = 3_601_000;

async function expectRefused(url: string) {
  const http = await send(url);
  expect([http.status, jsonOf(http)]).toEqual([403, { message: 'Invalid signature.' }]);
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Texts that a lenient decoder takes for the same bytes. */
const otherTextsOf = (signature: string): string[] => [
  ...['!!', '=', '==', ' ', '\n', '\0', '.', 'A', '%'].map((more) => signature + more),
  ` ${signature}`,
  `${signature.slice(0, 20)} ${signature.slice(20)}`,
  `${signature.slice(0, 20)}\r\n${signature.slice(20)}`,
  // The last of 43 characters has two bits that no byte has.
  signature.slice(0, -1) + ALPHABET[ALPHABET.indexOf(signature.slice(-1)) + 1],
];

/** A signature that has a character of base64url alone, and so has another form in Base64. */
function signedWith(signer: UrlSigner): { path: string; expires: string; signature: string } {
  for (let index = 0; ; index += 1) {
    const path = `licenses/${String(index).padStart(40, '0')}.pdf`;
    const signed = signer.sign(path);
    if (/[-_]/.test(signed.signature)) {
      return { path, ...signed };
    }
  }
}

test('a signature in Base64 is not the signature in base64url', () => {
  const signer = new UrlSigner(
    { secret: SIGNED.DOCUMENT_URL_SECRET, otherSecrets: [], lifetimeSeconds: 60 },
    testClock,
  );
  const { path, expires, signature } = signedWith(signer);
  expect(signer.secondsLeft(path, { expires, signature })).toBe(60);
  const standard = signature.replaceAll('-', '+').replaceAll('_', '/');
  for (const other of [standard, `${standard}=`, ...otherTextsOf(signature)]) {
    expect(signer.secondsLeft(path, { expires, signature: other })).toBe(0);
  }
});

throughEachApi((apiOf) => {
  test('a registration returns signed URLs that expire and that no shared cache keeps', async () => {
    const doctor = aDoctor();
    const { profile } = registeredDoctor(await apiOf(app.url).registerDoctor(doctor));
    for (const url of [profile.licenseFileUrl, profile.diplomaFileUrl, profile.certificationUrl]) {
      const { status, headers } = await send(url);
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toMatch(/^private, max-age=(3600|35\d\d), immutable$/);
    }
    expect((await send(profile.licenseFileUrl)).bytes.equals(doctor.licenseFile.bytes)).toBe(true);
  });
});

test('me returns fresh signed URLs to the account', async () => {
  const { profile, token } = registeredDoctor(await restApi(app.url).registerDoctor(aDoctor()));
  testClock.move(AFTER_THE_END_MILLIS);
  await expectRefused(profile.licenseFileUrl);
  const { body } = await execute(app.url, MeDocument, {}, bearer(token));
  const renewed = body.data?.me.profile?.licenseFileUrl ?? '';
  expect((await send(renewed)).status).toBe(200);
  expect(renewed.split('?')[0]).toBe(profile.licenseFileUrl.split('?')[0]);
  testClock.move(AFTER_THE_END_MILLIS);
  await expectRefused(renewed);
});

test('a changed or unsigned URL opens no document', async () => {
  const { profile } = registeredDoctor(await restApi(app.url).registerDoctor(aDoctor()));
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
    ...otherTextsOf(signature).map((text) => changed((copy) => copy.searchParams.set('signature', text))),
    ...[`0${expires}`, `+${expires}`, ` ${expires}`, `${expires} `, `${expires}.0`, `${expires}e0`].map(
      (text) => changed((copy) => copy.searchParams.set('expires', text)),
    ),
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

describe.each([
  { store: LOCAL, sent: 200 },
  { store: s3Store('an S3 server'), sent: 200 },
  { store: s3Store('an S3 server that readers are sent to', { S3_DELIVERY: 'redirect' }), sent: 302 },
])('no shared cache may keep an answer about a signed document on $store.name', ({ store, sent }) => {
  const running = useAppWith(store, SIGNED);
  /** This request is not watched for secrets: the signature in the bucket's URL looks like the hash of a token. */
  async function ask(target: string, headers: Record<string, string> = {}, method = 'GET') {
    const req = openRequest(running.app.url, { path: target, headers, method });
    const answered = once(req, 'response');
    req.end();
    const [res] = (await answered) as [IncomingMessage];
    const text = await readText(res);
    return { status: res.statusCode, headers: res.headers, text };
  }

  test('whatever is asked, and whatever comes of it', async () => {
    const { url } = running.app;
    const { profile } = registeredDoctor(await restApi(url).registerDoctor(aDoctor()));
    const target = profile.licenseFileUrl.slice(url.length);
    const whole = await ask(target);
    const missing = `licenses/${'n'.repeat(40)}.pdf`;
    const signer = new UrlSigner(
      { secret: SIGNED.DOCUMENT_URL_SECRET, otherSecrets: [], lifetimeSeconds: 60 },
      testClock,
    );
    const isSent = sent === 200;
    const answers: [expected: number, answer: typeof whole][] = [
      [sent, whole],
      [sent, await ask(target, {}, 'HEAD')],
      [isSent ? 206 : 302, await ask(target, { Range: 'bytes=0-3' })],
      [isSent ? 304 : 302, await ask(target, { 'If-None-Match': whole.headers.etag ?? '' })],
      [isSent ? 416 : 302, await ask(target, { Range: 'bytes=100000-' })],
      [403, await ask(target.split('?')[0] ?? '')],
      [403, await ask(`${target}0`)],
      [404, await ask(`/storage/${missing}?${new URLSearchParams({ ...signer.sign(missing) })}`)],
      [404, await ask(`/storage/licenses/${target}`)],
      [405, await ask(target, {}, 'POST')],
    ];
    for (const [expected, { status, headers }] of answers) {
      expect(status).toBe(expected);
      expect(headers['cache-control']).toMatch(/^(private|no-store)\b/);
    }
    if (!isSent) {
      expect(whole.text).toBe('');
    }
    const [location] = isSent ? [] : [new URL(whole.headers.location ?? '')];
    expect(location?.searchParams.get('response-cache-control')).toBe(
      isSent ? undefined : 'private, max-age=60',
    );
    expect(location?.searchParams.get('response-content-disposition')).toBe(
      isSent ? undefined : 'inline; filename="license.pdf"',
    );
  });
});
