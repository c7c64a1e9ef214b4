import { once } from 'node:events';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { aPdf } from '../../../tests/support/documents.ts';
import { freePort, listenOnFreePort } from '../../../tests/support/listen.ts';
import { freshEmail, freshPassword } from '../../../tests/support/people.ts';
import { type AuthClient, createAuthClient, ErrorCode } from '../src/index.ts';
import { aDoctorWithFiles, errorOf } from './support/results.ts';

const TOKEN = '1|never-to-be-seen';
const credentials = { email: freshEmail(), password: freshPassword() };

/** A server that is not the gateway, or a gateway with faults. */
let server: Server;
let url: string;
let answer: RequestListener;
beforeAll(async () => {
  server = createServer((req, res) => answer(req, res));
  url = `http://127.0.0.1:${await listenOnFreePort(server)}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

/** Makes every kind of call, also with files. Returns the errors, and checks that none contains the token or a password. */
async function errorsOf(client: AuthClient) {
  const errors = [
    errorOf(await client.login(credentials)),
    errorOf(await client.me()),
    errorOf(await client.registerDoctor({ ...aDoctorWithFiles(), password: credentials.password })),
  ];
  expect(JSON.stringify(errors)).not.toContain(TOKEN);
  expect(JSON.stringify(errors)).not.toContain(credentials.password);
  return errors;
}

/** Waits for errors that nobody could catch. A test that still runs fails with them. */
const laterErrors = () => wait(100);

const respond = (status: number, contentType: string, body: string) => {
  answer = (req, res) => {
    req.resume();
    res.writeHead(status, { 'Content-Type': contentType, 'X-Request-Id': 'r-1' }).end(body);
  };
};

test('an unreachable server is a network error with the system’s reason', async () => {
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  for (const error of await errorsOf(createAuthClient({ url: address, token: TOKEN }))) {
    expect(error).toEqual({
      code: 'NETWORK_ERROR',
      message: `The gateway at ${address} cannot be reached, or the connection broke (ECONNREFUSED).`,
    });
  }
});

test('a connection that breaks before or during the answer is a network error', async () => {
  const breaks: RequestListener[] = [
    (req) => req.socket.destroy(),
    (req, res) => {
      res.writeHead(200, { 'Content-Length': '100' }).write('{', () => req.socket.destroy());
    },
  ];
  for (const each of breaks) {
    answer = each;
    for (const { code } of await errorsOf(createAuthClient({ url, token: TOKEN }))) {
      expect(code).toBe('NETWORK_ERROR');
    }
  }
});

test('an error of a custom fetch that quotes the token does not show it', async () => {
  const failing = async (_url: unknown, init?: RequestInit) => {
    throw new TypeError(`invalid header ${JSON.stringify(init?.headers)}`, { cause: { code: `x ${TOKEN}` } });
  };
  for (const error of await errorsOf(createAuthClient({ url, token: TOKEN, fetch: failing }))) {
    expect(error).toEqual({
      code: 'NETWORK_ERROR',
      message: `The gateway at ${url} cannot be reached, or the connection broke.`,
    });
  }
});

test('the error does not show a user name in the address', async () => {
  const client = createAuthClient({ url: url.replace('//', '//user:secret@') });
  expect(errorOf(await client.me()).message).not.toContain('secret');
});

describe.each(['before the answer', 'during the answer'])('a server that stops sending %s', (when) => {
  /** Called once the server has fallen silent. */
  let onSilence: () => void;
  beforeEach(() => {
    onSilence = () => {};
    answer = (_req, res) => {
      if (when === 'during the answer') {
        res.writeHead(200).write('{', () => onSilence());
      } else {
        onSilence();
      }
    };
  });

  test('is a timeout', async () => {
    const client = createAuthClient({ url, token: TOKEN, timeoutMillis: 100 });
    expect(errorOf(await client.me())).toEqual({
      code: 'TIMEOUT',
      message: `The gateway at ${url} did not answer within 100 ms.`,
    });
    const result = await client.registerDoctor(aDoctorWithFiles(), { timeoutMillis: 50 });
    expect(errorOf(result)).toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringContaining('within 50 ms'),
    });
  });

  test('can be aborted by a signal', async () => {
    const client = createAuthClient({ url, token: TOKEN, timeoutMillis: Number.POSITIVE_INFINITY });
    for (const call of [client.me, client.logout, client.tokens.list]) {
      const controller = new AbortController();
      onSilence = () => controller.abort(new Error(TOKEN));
      expect(errorOf(await call({ signal: controller.signal }))).toEqual({
        code: 'ABORTED',
        message: 'The call was aborted.',
      });
    }
    expect(client.token).toBe(TOKEN);
  });
});

test('nothing is sent if the signal is already aborted', async () => {
  let requests = 0;
  answer = (_req, res) => {
    requests += 1;
    res.end();
  };
  const client = createAuthClient({ url });
  const result = await client.registerDoctor(aDoctorWithFiles(), { signal: AbortSignal.abort() });
  expect(errorOf(result).code).toBe('ABORTED');
  expect(requests).toBe(0);
  await laterErrors();
});

test('an upload that is aborted while it is being sent ends, and throws nothing else', async () => {
  const sent = aDoctorWithFiles();
  for (let turns = 0; turns < 20; turns += 1) {
    const controller = new AbortController();
    answer = (req) => {
      req.resume();
      controller.abort();
    };
    const client = createAuthClient({ url });
    const ended = client.registerDoctor(sent, { signal: controller.signal });
    for (let turn = 0; turn < turns; turn += 1) {
      await nextTurn();
    }
    if (turns < 10) {
      controller.abort();
    }
    expect(errorOf(await ended).code).toBe('ABORTED');
  }
  await laterErrors();
});

test('an upload of a file that changes meanwhile is a network error, and throws nothing else', async () => {
  answer = (req, res) => req.resume().once('end', () => res.end());
  const folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-client-'));
  const licenseFile = path.join(folder, 'license.pdf');
  await writeFile(licenseFile, aPdf().bytes);
  const changing: typeof fetch = async (...request) => {
    await appendFile(licenseFile, 'more');
    return fetch(...request);
  };
  const client = createAuthClient({ url, fetch: changing });
  const result = await client.registerDoctor({ ...aDoctorWithFiles(), licenseFile });
  expect(errorOf(result).code).toBe('NETWORK_ERROR');
  await laterErrors();
  await rm(folder, { recursive: true });
});

describe('an answer that is not the gateway’s', () => {
  test.each([
    [502, 'text/html', '<html><h1>502 Bad Gateway</h1></html>'],
    [503, 'text/html', '<html>maintenance</html>'],
    [413, 'text/html', '<html>413 Request Entity Too Large</html>'],
    [200, 'text/html', '<html>please log in</html>'],
    [204, 'text/plain', ''],
    [200, 'application/json', '{"data":null}'],
    [200, 'application/json', '{}'],
    [200, 'application/json', '[]'],
    [200, 'application/json', 'null'],
    [200, 'application/json', '{"data":{"me":'],
    [404, 'application/json', '{"message":"Not Found"}'],
    [200, 'application/json', '{"errors":["?"],"data":null}'],
  ])('(%i %s %s) is an error with its status', async (status, contentType, body) => {
    respond(status, contentType, body);
    for (const error of await errorsOf(createAuthClient({ url, token: TOKEN }))) {
      expect(error).toEqual({
        code: 'INVALID_RESPONSE',
        status,
        message: `The answer (HTTP ${status}) is not the gateway's. Something between it and this program may have made it.`,
      });
    }
  });
});

describe('a code of the gateway', () => {
  const refuseWith = (extensions: unknown) =>
    respond(200, 'application/json', JSON.stringify({ errors: [{ message: 'Words.', extensions }] }));

  test.each(Object.values(ErrorCode))('%s is the code of the error', async (code) => {
    // Longer than the client waits before it asks again.
    refuseWith({ code, retryAfterSeconds: 4 });
    for (const error of await errorsOf(createAuthClient({ url, token: TOKEN }))) {
      expect(error).toMatchObject({ code, message: 'Words.', requestId: 'r-1' });
    }
  });

  test.each([
    [{ code: 'INVENTED_LATER', errors: 5 }, 'INVENTED_LATER'],
    [{ code: 42 }, undefined],
    [{}, undefined],
    [undefined, undefined],
  ])('that the client does not know (%j) is UNKNOWN', async (extensions, gatewayCode) => {
    refuseWith(extensions);
    for (const error of await errorsOf(createAuthClient({ url, token: TOKEN }))) {
      expect(error).toEqual({ code: 'UNKNOWN', gatewayCode, message: 'Words.', requestId: 'r-1' });
    }
  });
});
