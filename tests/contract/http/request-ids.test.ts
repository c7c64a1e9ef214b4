import { send } from '../../support/http.ts';
import { useTestApp } from '../../support/test-app.ts';

// The tests connect from 127.0.0.1, the address of the proxy.
const SENT = 'sent-by-the-caller';

const idOf = async (url: string, path: string): Promise<string | null> =>
  (await send(`${url}${path}`, { headers: { 'X-Request-Id': SENT } })).headers.get('x-request-id');

describe.each([['off'], ['0'], ['10.0.0.1'], ['uniquelocal, 192.0.2.0/24']])(
  'with TRUST_PROXY=%s',
  (trustProxy) => {
    const app = useTestApp({ TRUST_PROXY: trustProxy });

    test.each(['/healthz', '/graphql', '/storage/nothing'])(
      '%s ignores the request id of an untrusted caller',
      async (path) => {
        expect(await idOf(app.url, path)).toMatch(/^[0-9a-f-]{36}$/);
      },
    );
  },
);

describe.each([['1'], ['loopback'], ['127.0.0.1']])('with TRUST_PROXY=%s', (trustProxy) => {
  const app = useTestApp({ TRUST_PROXY: trustProxy });

  test('the gateway uses the request id of a trusted proxy', async () => {
    expect(await idOf(app.url, '/healthz')).toBe(SENT);
  });
});
