import { aPdfOf } from '../../../tests/support/documents.ts';
import { aPatient, type Fields, freshPassword } from '../../../tests/support/people.ts';
import { TWO_FACTOR } from '../../../tests/support/second-factor.ts';
import { createTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { type AuthClient, createAuthClient } from '../src/index.ts';
import { type AuthServer, createAuthServer, forwardedFor } from '../src/server/index.ts';
import { aDoctorWithFiles, dataOf, errorOf, watchedFetch } from './support/results.ts';

const SITE = 'https://app.example.org';
const HANDLER = `${SITE}/api/auth`;
const COOKIE = '__Host-auth-gateway';
let app: TestApp;
let server: AuthServer;
let addresses: string[];

beforeAll(async () => {
  app = await createTestApp({
    TRUST_PROXY: 'loopback',
    RATE_LIMIT: 'on',
    RATE_LIMIT_REGISTRATIONS_PER_MINUTE: '1000',
    RATE_LIMIT_ADDRESS_LOGINS_PER_MINUTE: '5',
    ...TWO_FACTOR,
  });
  server = createAuthServer({
    url: app.url,
    address: forwardedFor(),
    fetch(input, init) {
      addresses.push(new Headers(init?.headers).get('x-forwarded-for') ?? 'none');
      return watchedFetch(input, init);
    },
  });
});
afterAll(() => app.stop());
beforeEach(() => {
  addresses = [];
});

/** A body in pieces of this size. */
function inPieces(text: string, size = 1): ReadableStream<Uint8Array> {
  const bytes = Buffer.from(text);
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const piece = bytes.subarray(at, at + size);
      at += size;
      return piece.length > 0 ? controller.enqueue(piece) : controller.close();
    },
  });
}

/** What a browser sends with every request of a page of the site. */
const OF_PAGE = {
  'Sec-Fetch-Site': 'same-origin',
  Origin: SITE,
  Host: 'app.example.org',
  'X-Forwarded-For': '203.0.113.7',
};

const OF_CLIENT = { 'Auth-Gateway-Client': '1' };
const JSON_OF_CLIENT = { ...OF_CLIENT, 'Content-Type': 'application/json' };
const UPLOAD_OF_CLIENT = { ...OF_CLIENT, 'Content-Type': 'multipart/form-data; boundary=b' };

/** A request of a page of the site. */
const requestWith = (
  headers: Record<string, string>,
  body: string | FormData | ReadableStream,
  method = 'POST',
) =>
  new Request(HANDLER, {
    method,
    headers: { ...OF_PAGE, ...headers },
    ...(method === 'POST' && { body, duplex: 'half' }),
  } as RequestInit);

/** A visitor: a client in a browser with a jar for the one cookie, in front of the handler. */
function aVisitor(headers: Record<string, string> = {}) {
  const jar = { cookie: '', setCookies: [] as string[], answers: [] as Response[] };
  const visit: typeof fetch = async (input, init) => {
    const request = new Request(String(input), { ...init, duplex: 'half' } as RequestInit);
    for (const [name, value] of Object.entries({
      ...OF_PAGE,
      ...headers,
      ...(jar.cookie && { Cookie: jar.cookie }),
    })) {
      request.headers.set(name, value);
    }
    const answer = await server.authHandler(request);
    for (const line of answer.headers.getSetCookie()) {
      jar.setCookies.push(line);
      const [pair = ''] = line.split(';');
      jar.cookie = pair === `${COOKIE}=` ? '' : pair;
    }
    jar.answers.push(answer.clone());
    return answer;
  };
  const client = createAuthClient({ url: HANDLER, session: 'cookie', fetch: visit });
  return { client, jar, requestOf: () => ({ headers: new Headers({ Cookie: jar.cookie }) }) };
}

const statusOf = async (visitor: ReturnType<typeof aVisitor>) =>
  (await server.getSession(visitor.requestOf())).status;

async function aVisitingPatient() {
  const visitor = aVisitor();
  const patient = aPatient();
  dataOf(await visitor.client.registerPatient(patient));
  return { ...visitor, patient };
}

describe('a visitor of a web server', () => {
  test('registers, is known to the server, and logs out; no script ever sees the token', async () => {
    const visitor = aVisitor();
    expect(await statusOf(visitor)).toBe('anonymous');
    const patient = aPatient();
    const { account, token } = dataOf(await visitor.client.registerPatient(patient));
    expect([token, visitor.client.token]).toEqual(['', null]);
    const [cookie = ''] = visitor.jar.setCookies;
    expect(cookie.replace(/=\w+\|\w+;/, '=TOKEN;')).toBe(
      `${COOKIE}=TOKEN; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=34560000`,
    );
    const [answer] = visitor.jar.answers;
    expect(await answer?.text()).not.toContain('|');
    expect(answer?.headers.get('cache-control')).toBe('private, no-store');
    expect(visitor.client.session).toEqual({ status: 'authenticated', account });

    const session = await server.getSession(visitor.requestOf());
    expect(session).toMatchObject({ status: 'authenticated', account: { ...account, profile: null } });
    expect(server.tokenOf(visitor.requestOf())).toBe(visitor.jar.cookie.slice(COOKIE.length + 1));
    const left = visitor.requestOf();
    dataOf(await visitor.client.logout());
    expect(visitor.jar.setCookies.at(-1)).toBe(
      `${COOKIE}=; Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age=0`,
    );
    expect(visitor.client.session).toEqual({ status: 'anonymous' });
    // A copy of the cookie opens nothing any more: the gateway is asked, and not the cookie.
    expect((await server.getSession(left)).status).toBe('anonymous');
  });

  test('is asked about once for each request, past caches', async () => {
    const visitor = await aVisitingPatient();
    const modes: unknown[] = [];
    const asking = createAuthServer({
      url: app.url,
      address: forwardedFor(),
      fetch(input, init) {
        modes.push(Reflect.get(init ?? {}, 'cache'));
        return watchedFetch(input, init);
      },
    });
    const request = visitor.requestOf();
    const [one, two] = await Promise.all([asking.getSession(request), asking.getSession(request)]);
    expect([one.status, two]).toEqual(['authenticated', one]);
    await asking.getSession(visitor.requestOf());
    expect(modes).toEqual(['no-store', 'no-store']);
  });

  test('is not logged out when the gateway is unreachable', async () => {
    const visitor = await aVisitingPatient();
    const away = createAuthServer({ url: 'http://127.0.0.1:9', address: forwardedFor() });
    expect(await away.getSession(visitor.requestOf())).toMatchObject({
      status: 'unavailable',
      error: { code: 'NETWORK_ERROR' },
    });
    const answer = await away.authHandler(requestWith(JSON_OF_CLIENT, await me()));
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([503, []]);
  });

  test('uploads documents as a stream', async () => {
    const visitor = aVisitor();
    const large = new File([aPdfOf(9_000_000, 'license.pdf').bytes], 'license.pdf');
    const { account, profile } = dataOf(
      await visitor.client.registerDoctor({ ...aDoctorWithFiles(), licenseFile: large }),
    );
    expect(profile.licenseFileUrl).toContain('/storage/licenses/');
    expect(await server.getSession(visitor.requestOf())).toMatchObject({ account: { id: account.id } });
  });

  test('logs in, changes the session in another tab, and loses one that has ended', async () => {
    const { patient, jar, client } = await aVisitingPatient();
    const [first] = jar.setCookies;
    dataOf(await client.login(patient));
    expect(jar.setCookies[1]).not.toBe(first);
    const another = aVisitor();
    await another.client.refresh();
    expect(another.client.session).toEqual({ status: 'anonymous' });
    // Another tab has logged in: the cookie is that of all tabs.
    another.jar.cookie = jar.cookie;
    expect((await another.client.refresh()).status).toBe('authenticated');
    const [own] = dataOf(await client.tokens.list()).filter(({ current }) => current);
    expect(dataOf(await client.tokens.revoke(own?.id ?? ''))).toBe(true);
    expect(client.session).toEqual({ status: 'anonymous' });
    expect([jar.cookie, errorOf(await another.client.me()).code]).toEqual(['', 'UNAUTHENTICATED']);
    expect([another.client.session.status, another.jar.cookie]).toEqual(['anonymous', '']);
  });

  test('proves who they are once more, and gets another token', async () => {
    const { patient, jar, client } = await aVisitingPatient();
    const before = jar.cookie;
    dataOf(await client.stepUp({ password: patient.password }));
    expect(jar.cookie).not.toBe(before);
    expect(dataOf(await client.me()).email).toBe(patient.email);
    expect(client.session.status).toBe('authenticated');
  });

  test('after the account is closed, the cookie is gone', async () => {
    const { patient, jar, client } = await aVisitingPatient();
    dataOf(await client.deleteMyAccount({ password: patient.password }));
    expect([jar.cookie, client.session.status]).toEqual(['', 'anonymous']);
  });
});

/** The body that the client sends. */
async function bodyOf(act: (client: AuthClient) => Promise<unknown>): Promise<string> {
  let sent = '';
  const spy: typeof fetch = async (_, init) => {
    sent = String(init?.body);
    return new Response('{}');
  };
  await act(createAuthClient({ url: HANDLER, session: 'cookie', fetch: spy }));
  return sent;
}

const me = () => bodyOf((client) => client.me());

describe('addresses of visitors', () => {
  const failedLogins = async (headers: Record<string, string>, times: number) => {
    const { client } = aVisitor(headers);
    const codes: string[] = [];
    for (let count = 0; count < times; count += 1) {
      codes.push(
        errorOf(await client.login({ email: `${count}@example.org`, password: freshPassword() })).code,
      );
    }
    return codes;
  };

  test('two visitors are counted apart, and nobody chooses an address', async () => {
    const codes = await failedLogins({ 'X-Forwarded-For': '198.51.100.1' }, 7);
    const refusedAt = codes.indexOf('TOO_MANY_ATTEMPTS');
    expect(refusedAt).toBeGreaterThan(0);
    expect(await failedLogins({ 'X-Forwarded-For': '198.51.100.200' }, 1)).toEqual(['INVALID_CREDENTIALS']);
    // The proxy appends the address: what stands before it is the visitor's own.
    const spoofed = await failedLogins({ 'X-Forwarded-For': '192.0.2.99, 198.51.100.1' }, 1);
    expect(spoofed).toEqual(['TOO_MANY_ATTEMPTS']);
    expect(new Set(addresses)).toEqual(new Set(['198.51.100.1', '198.51.100.200']));
  });

  // As the gateway reads them (countedAddress).
  test.each([
    ['203.0.113.7:4711', '203.0.113.7'],
    ['[2001:db8::1]:80', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
  ])('the address of %j is %j', async (sent, address) => {
    await aVisitor({ 'X-Forwarded-For': `6.6.6.6:1, ${sent}` }).client.login(aPatient());
    expect(addresses).toEqual([address]);
  });

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '1', null])(
    'forwardedFor refuses %p, with which an entry of the visitor would count',
    (proxies) => {
      expect(() => forwardedFor(proxies as number)).toThrow('needs the number of your proxies, from 1.');
    },
  );

  test.each(['', 'unknown', '203.0.113.7:', '203.0.113.7:x', '[]:80', 'a'.repeat(60)])(
    '%j is no address',
    async (sent) => {
      await expect(aVisitor({ 'X-Forwarded-For': sent }).client.me()).resolves.toMatchObject({
        ok: false,
        error: { code: 'NETWORK_ERROR' },
      });
      const request = requestWith({ ...OF_CLIENT, 'X-Forwarded-For': sent }, '{}');
      await expect(server.authHandler(request)).rejects.toThrow('found no IP address of the visitor');
      expect(addresses).toEqual([]);
    },
  );

  test('behind two proxies the second entry from the end counts', () => {
    const request = new Request(SITE, { headers: { 'X-Forwarded-For': '6.6.6.6, 203.0.113.7, 10.0.0.1' } });
    expect([forwardedFor(2)(request), forwardedFor(4)(request)]).toEqual(['203.0.113.7', undefined]);
  });
});

describe('the handler refuses', () => {
  const sent = (...request: Parameters<typeof requestWith>) => server.authHandler(requestWith(...request));
  const refusalOf = async (answer: Response) => {
    const { errors } = (await answer.json()) as { errors: { extensions: Fields }[] };
    expect([answer.headers.getSetCookie(), answer.headers.get('cache-control')]).toEqual([
      [],
      'private, no-store',
    ]);
    return [answer.status, errors[0]?.extensions.code];
  };
  const { Origin: _, 'Sec-Fetch-Site': __, ...OLD_BROWSER } = OF_PAGE;

  test.each<[string, Record<string, string>]>([
    ['another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }],
    ['another host of the same site', { 'Sec-Fetch-Site': 'same-site', Origin: 'https://other.example.org' }],
    ['an address that somebody typed', { 'Sec-Fetch-Site': 'none' }],
    ['another origin alone', { Origin: 'https://evil.example' }],
    ['the same host by another port', { Origin: 'https://app.example.org:8443' }],
    ['a page without an origin', { Origin: 'null' }],
  ])('%s', async (_what, headers) => {
    expect(await refusalOf(await sent({ ...JSON_OF_CLIENT, ...headers }, await me()))).toEqual([
      403,
      'FORBIDDEN',
    ]);
    expect(addresses).toEqual([]);
  });

  test('every request without the header of the client: JSON, forms and uploads', async () => {
    const patient = aPatient();
    const login = await bodyOf((client) => client.login(patient));
    const form = new FormData();
    form.append('operations', login);
    form.append('map', '{}');
    for (const [headers, body] of [
      [{ 'Content-Type': 'application/json' }, login],
      [{ 'Content-Type': 'text/plain' }, login],
      [{ 'Content-Type': 'application/x-www-form-urlencoded' }, `operations=${encodeURIComponent(login)}`],
      [{}, form],
    ] as const) {
      expect(await refusalOf(await sent(headers, body))).toEqual([403, 'FORBIDDEN']);
    }
    expect(addresses).toEqual([]);
  });

  test('documents that are not the client’s, in JSON and in uploads', async () => {
    const own = JSON.parse(await me()) as { query: string };
    const bodies = [
      { query: '{ __schema { types { name } } }' },
      { query: `${own.query} ` },
      { query: `${own.query}\nquery More { me { id } }` },
      { ...own, query: own.query.replace('me', 'x: me') },
      { query: [own.query] },
      { query: own.query, variables: 'x' },
      {},
    ].map((body) => JSON.stringify(body));
    for (const body of [...bodies, '', 'null', '[]', '{']) {
      expect(await refusalOf(await sent(JSON_OF_CLIENT, body))).toEqual([400, 'BAD_REQUEST']);
      const form = new FormData();
      form.append('operations', body);
      form.append('map', '{}');
      expect(await refusalOf(await sent(OF_CLIENT, form))).toEqual([400, 'BAD_REQUEST']);
    }
    expect(addresses).toEqual([]);
  });

  test('an upload that hides its operation', async () => {
    const own = await me();
    const part = (name: string, text: string) =>
      `--b\r\nContent-Disposition: form-data; ${name}\r\n\r\n${text}\r\n`;
    for (const body of [
      `preamble\r\n${part('name="operations"', own)}--b--`,
      part('name="map"', '{}') + part('name="operations"', own),
      part('name="operations"; x=y', own),
      part('name=operations', own),
      `--b\r\nContent-Disposition: form-data; name="operations"\r\n\r\n${own}`,
      '',
    ]) {
      expect(await refusalOf(await sent(UPLOAD_OF_CLIENT, body))).toEqual([400, 'BAD_REQUEST']);
    }
    // Two operations: the gateway itself takes only the first two fields, which must be operations and map.
    const twice = part('name="operations"', own) + part('name="operations"', '{"query":"{x}"}');
    const answer = await sent(UPLOAD_OF_CLIENT, `${twice}--b--\r\n`);
    expect([answer.status, addresses.length]).toEqual([400, 1]);
  });

  test('thousands of pieces of one byte, but takes some', async () => {
    const begin = '--b\r\nContent-Disposition: form-data; name="operations"\r\n\r\n';
    const large = 'x'.repeat(3_000);
    expect(await refusalOf(await sent(JSON_OF_CLIENT, inPieces(large)))).toEqual([400, 'BAD_REQUEST']);
    expect(await refusalOf(await sent(UPLOAD_OF_CLIENT, inPieces(begin + large)))).toEqual([
      400,
      'BAD_REQUEST',
    ]);
    expect(addresses).toEqual([]);
    const operation = `${begin}${await me()}\r\n--b`;
    await sent(JSON_OF_CLIENT, inPieces(await me()));
    await sent(UPLOAD_OF_CLIENT, inPieces(`${operation}--\r\n`));
    expect(addresses).toHaveLength(2);
    // After the operation, the gateway is already being asked.
    expect(await refusalOf(await sent(UPLOAD_OF_CLIENT, inPieces(operation + large)))).toEqual([
      400,
      'BAD_REQUEST',
    ]);
  });

  test('no upload in pieces of 64 bytes, and passes on larger ones', async () => {
    const pieces: Uint8Array[] = [];
    const joining = createAuthServer({
      url: app.url,
      address: forwardedFor(),
      async fetch(_url, init) {
        const body = new Response(init?.body).body as unknown as AsyncIterable<Uint8Array>;
        for await (const piece of body) {
          pieces.push(piece);
        }
        return Response.json({ data: {} });
      },
    });
    const body = `--b\r\nContent-Disposition: form-data; name="operations"\r\n\r\n${await me()}\r\n--b${'x'.repeat(500_000)}`;
    const request = requestWith(UPLOAD_OF_CLIENT, inPieces(body, 64));
    expect((await joining.authHandler(request)).status).toBe(200);
    expect(Buffer.concat(pieces).toString()).toBe(body);
    expect(pieces.length).toBeLessThan(150);
  });

  test('large operations, other types and methods', async () => {
    const large = JSON.stringify({ query: 'x'.repeat(200_000) });
    expect(await refusalOf(await sent(JSON_OF_CLIENT, large))).toEqual([413, 'BAD_REQUEST']);
    const form = new FormData();
    form.append('operations', large);
    expect(await refusalOf(await sent(OF_CLIENT, form))).toEqual([413, 'BAD_REQUEST']);
    const text = { ...OF_CLIENT, 'Content-Type': 'text/plain' };
    expect(await refusalOf(await sent(text, await me()))).toEqual([415, 'BAD_REQUEST']);
    expect(await refusalOf(await sent(JSON_OF_CLIENT, '', 'GET'))).toEqual([405, 'METHOD_NOT_ALLOWED']);
    expect(addresses).toEqual([]);
  });

  test('nobody for an old browser, or a page behind a proxy with another name', async () => {
    const plain = { ...JSON_OF_CLIENT, ...OLD_BROWSER };
    const request = (headers: Record<string, string>, body: string) =>
      new Request('http://10.0.0.5:3000/api/auth', { method: 'POST', headers, body });
    expect((await server.authHandler(request(plain, await me()))).status).toBe(200);
    const renamed = createAuthServer({ url: app.url, address: () => '203.0.113.7', origin: SITE });
    const behind = { ...JSON_OF_CLIENT, ...OF_PAGE, Host: 'web:3000' };
    expect((await renamed.authHandler(request(behind, await me()))).status).toBe(200);
    expect((await server.authHandler(request(behind, await me()))).status).toBe(403);
  });
});

describe('options', () => {
  test('createAuthServer names what is missing', () => {
    const made = (options: unknown) => () =>
      createAuthServer(options as Parameters<typeof createAuthServer>[0]);
    for (const options of [undefined, {}, { url: '/api' }, { url: 'ftp://x' }]) {
      expect(made(options)).toThrow('needs the option "url", an address with http:// or https://.');
    }
    expect(made({ url: app.url })).toThrow('needs the option "address", such as forwardedFor(1).');
    const inherited = Object.create({ url: app.url, address: forwardedFor() });
    expect(made(inherited)).toThrow('needs the option "url"');
  });

  test('a client of a cookie has no token', () => {
    const both = { url: HANDLER, session: 'cookie', token: '1|x', storage: 'localStorage' } as const;
    expect(() => createAuthClient(both)).toThrow(
      'With session "cookie" there is no token here: leave out token, storage.',
    );
    const { client } = aVisitor();
    expect(() => {
      client.token = '1|x';
    }).toThrow('With session "cookie" only the web server has the token.');
  });
});

test('a challenge is judged alone, although the cookie has a token', async () => {
  const { jar, client } = await aVisitingPatient();
  const before = jar.cookie;
  const result = await client.confirmTwoFactor({ code: '123456', challenge: 'x'.repeat(43) });
  expect(errorOf(result).code).not.toBe('UNAUTHENTICATED');
  expect(jar.cookie).toBe(before);
});
