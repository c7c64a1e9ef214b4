import { registeredDoctor } from '../../support/expectations.ts';
import { comparable, type HttpResponse } from '../../support/http.ts';
import { OPERATOR_API } from '../../support/operators.ts';
import { aDoctor } from '../../support/people.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { restApi } from '../../support/rest-api.ts';
import { useTestApp } from '../../support/test-app.ts';

const ORIGIN = 'https://app.example.org';
const OTHER_ORIGIN = 'http://localhost:5173';

const APP_ORIGIN = 'capacitor://localhost';

const closed = useTestApp();
const open = useTestApp({ CORS_ORIGINS: `${ORIGIN}, ${OTHER_ORIGIN}, ${APP_ORIGIN}`, ...OPERATOR_API });

const DOORS = ['/api/v1/auth/login', '/graphql'];

// Not by fetch, which sets these headers itself.
const HEADERS = 'authorization,content-type,traceparent,sentry-trace,baggage,apollographql-client-name,x-own';

const preflight = (url: string, path: string, origin: string) =>
  sendRaw(url, {
    path,
    method: 'OPTIONS',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': HEADERS,
    },
  });

const post = (url: string, path: string, headers: Record<string, string>) =>
  sendRaw(url, { path, method: 'POST', headers: { 'Content-Type': 'application/json', ...headers } }, '{}');

const corsHeaders = ({ headers }: HttpResponse) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));

const listOf = ({ headers }: HttpResponse, name: string) =>
  (headers.get(name) ?? '').toLowerCase().split(',');

describe.each(DOORS)('%s', (path) => {
  test.each([ORIGIN, OTHER_ORIGIN, APP_ORIGIN])(
    'CORS headers let scripts of %s call the gateway and read its answers',
    async (origin) => {
      const permission = await preflight(open.url, path, origin);
      expect(permission.status).toBe(204);
      expect(Object.fromEntries(permission.headers)).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET,HEAD,POST,PUT',
        'access-control-max-age': '600',
        // Libraries of a page add headers of their own, so all that it asks for are allowed.
        'access-control-allow-headers': HEADERS,
        vary: 'Origin, Access-Control-Request-Headers',
      });

      const answer = await post(open.url, path, { Origin: origin });
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
      expect(answer.headers.get('vary')).toBe('Origin');
      expect(listOf(answer, 'access-control-expose-headers')).toEqual(
        expect.arrayContaining(['retry-after', 'x-ratelimit-remaining', 'x-request-id', 'www-authenticate']),
      );
      // Tokens are sent as such; no cookie is ever asked for.
      for (const { headers } of [permission, answer]) {
        expect(headers.has('access-control-allow-credentials')).toBe(false);
      }
    },
  );

  test.each([
    'https://evil.example',
    'https://app.example.org.evil.example',
    'https://sub.app.example.org',
    'http://app.example.org',
    'https://app.example.org:8443',
    'HTTPS://APP.EXAMPLE.ORG',
    'capacitor://localhost:80',
    'ionic://localhost',
    'file://',
    `${ORIGIN}/`,
    'null',
    '',
  ])('the gateway sends no CORS headers to the origin "%s"', async (origin) => {
    for (const answer of [
      await preflight(open.url, path, origin),
      await post(open.url, path, { Origin: origin }),
    ]) {
      expect(corsHeaders(answer)).toEqual([]);
      expect(answer.headers.get('vary')).toBe('Origin');
    }
  });

  test('the gateway allows no origin by default', async () => {
    for (const ask of [preflight(closed.url, path, ORIGIN), post(closed.url, path, { Origin: ORIGIN })]) {
      const answer = await ask;
      expect(corsHeaders(answer)).toEqual([]);
      expect(answer.headers.has('vary')).toBe(false);
    }
  });

  test('CORS_ORIGINS changes nothing for a client without an Origin header', async () => {
    for (const method of ['OPTIONS', 'POST']) {
      const [without, { headers, ...others }] = [
        comparable(await sendRaw(closed.url, { path, method })),
        comparable(await sendRaw(open.url, { path, method })),
      ];
      expect({ ...others, headers: headers.filter(([name]) => name !== 'vary') }).toEqual(without);
    }
  });
});

test("no page of CORS_ORIGINS may call the operators' API", async () => {
  const path = '/operators/graphql';
  const headers = { Origin: ORIGIN };
  for (const answer of [await preflight(open.url, path, ORIGIN), await post(open.url, path, headers)]) {
    expect(answer.status).not.toBe(404);
    expect(corsHeaders(answer)).toEqual([]);
  }
});

test('scripts of an allowed origin may read documents', async () => {
  const { profile } = registeredDoctor(await restApi(open.url).registerDoctor(aDoctor()));
  const path = new URL(profile.licenseFileUrl).pathname;
  const answer = await sendRaw(open.url, { path, headers: { Origin: ORIGIN } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
  expect(listOf(answer, 'access-control-expose-headers')).toContain('content-disposition');
  expect(corsHeaders(await sendRaw(open.url, { path, headers: { Origin: 'https://evil.example' } }))).toEqual(
    [],
  );
});

test('scripts of an allowed origin can read refusals and the answer to an unknown path', async () => {
  for (const path of ['/nothing', '/api/v1/auth/login', '/storage/nothing', '/graphql']) {
    const answer = await sendRaw(open.url, { path, method: 'PUT', headers: { Origin: ORIGIN } });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
  }
});
