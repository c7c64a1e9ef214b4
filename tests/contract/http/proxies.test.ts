import { throughEachApi } from '../../support/apis.ts';
import { send, sendJson } from '../../support/http.ts';
import { freshEmail } from '../../support/people.ts';
import { useTestApp } from '../../support/test-app.ts';

const LIMIT = 2;
const SETTINGS = { RATE_LIMIT: 'on', RATE_LIMIT_LOGINS_PER_MINUTE: String(LIMIT) };

/** Whose attempts are counted, seen from without: who is refused after how many failed logins. */
function attemptsOn(app: { url: string }) {
  const email = freshEmail();
  /** Tries to log in with an X-Forwarded-For, and tells whether that was one attempt too many. */
  return async (forwardedFor: string, more: Record<string, string> = {}): Promise<boolean> => {
    const { status } = await sendJson(
      `${app.url}/api/v1/auth/login`,
      { email, password: 'wrong' },
      { 'X-Forwarded-For': forwardedFor, ...more },
    );
    expect([401, 429]).toContain(status);
    return status === 429;
  };
}

/** Uses up the attempts of the caller that a header names. */
async function useUp(isOneTooMany: (forwardedFor: string) => Promise<boolean>, forwardedFor: string) {
  for (let attempt = 0; attempt < LIMIT; attempt += 1) {
    expect(await isOneTooMany(forwardedFor)).toBe(false);
  }
  expect(await isOneTooMany(forwardedFor)).toBe(true);
}

const SENT_ID = 'sent-by-the-caller';
const requestIdOf = async (app: { url: string }, path: string) =>
  (await send(`${app.url}${path}`, { headers: { 'X-Request-Id': SENT_ID } })).headers.get('x-request-id');

describe.each(['off', '0', '10.0.0.0/8, 2001:db8::/32', 'uniquelocal, 192.0.2.0/24'])(
  'with TRUST_PROXY=%s, which the caller is not',
  (trustProxy) => {
    const app = useTestApp({ ...SETTINGS, TRUST_PROXY: trustProxy });

    test('no header changes the counted address', async () => {
      const isOneTooMany = attemptsOn(app);
      await useUp(isOneTooMany, '192.0.2.1');
      expect(await isOneTooMany('192.0.2.2')).toBe(true);
      expect(await isOneTooMany('192.0.2.3, 127.0.0.1')).toBe(true);
      expect(await isOneTooMany('192.0.2.3, 10.0.0.1')).toBe(true);
      expect(await isOneTooMany('', { Forwarded: 'for=192.0.2.4', 'X-Real-IP': '192.0.2.4' })).toBe(true);
    });

    test.each(['/healthz', '/graphql', '/storage/nothing'])(
      '%s ignores the request id of an untrusted caller',
      async (path) => {
        expect(await requestIdOf(app, path)).toMatch(/^[0-9a-f-]{36}$/);
      },
    );
  },
);

// The connection of the tests is the proxy's; it comes from 127.0.0.1.
describe.each([
  ['1', 'the number of proxies'],
  ['127.0.0.1', 'the address of the proxy'],
  ['loopback', 'the name of its network'],
  ['::ffff:127.0.0.1', 'its address as IPv6 spells it'],
])('with TRUST_PROXY=%s, %s', (trustProxy) => {
  const app = useTestApp({ ...SETTINGS, TRUST_PROXY: trustProxy });

  test('the gateway uses the request id of a trusted proxy', async () => {
    expect(await requestIdOf(app, '/healthz')).toBe(SENT_ID);
  });

  test('the gateway counts the address that the proxy has seen, not one that the caller sends', async () => {
    const isOneTooMany = attemptsOn(app);
    await useUp(isOneTooMany, '192.0.2.1');
    expect(await isOneTooMany('198.51.100.7, 192.0.2.1')).toBe(true);
    expect(await isOneTooMany('192.0.2.1, 198.51.100.7')).toBe(false);
  });

  test('an IPv6 site counts as one caller, and the next site as another', async () => {
    const isOneTooMany = attemptsOn(app);
    for (let host = 1; host <= LIMIT; host += 1) {
      expect(await isOneTooMany(`2001:db8:0:1::${host}`)).toBe(false);
    }
    expect(await isOneTooMany('2001:db8:0:1:ffff:ffff:ffff:ffff')).toBe(true);
    expect(await isOneTooMany('2001:db8:0:ffff::1')).toBe(true);
    expect(await isOneTooMany('2001:db8:1:1::1')).toBe(false);
  });

  test('all spellings of an IPv4 address count as one', async () => {
    const isOneTooMany = attemptsOn(app);
    await useUp(isOneTooMany, '192.0.2.1');
    expect(await isOneTooMany('::ffff:192.0.2.1')).toBe(true);
  });

  throughEachApi((apiOf) => {
    test('no answer contains a forwarded host or protocol', async () => {
      const hostile = { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' };
      const { path } = apiOf(app.url).doctorRequest({});
      const http = await sendJson(`${app.url}${path}`, '{', hostile);
      expect(http.headers.has('strict-transport-security')).toBe(false);
      expect(`${http.text}${JSON.stringify([...http.headers])}`).not.toContain('evil.example');
    });
  });
});
