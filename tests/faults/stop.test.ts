import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { Agent, createServer } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { AuditEvent } from '../../src/stores/audit-events.ts';
import type { Api } from '../support/apis.ts';
import { startDatabaseProxy } from '../support/database-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { refused, registeredDoctor, succeeded } from '../support/expectations.ts';
import { FEED } from '../support/feed.ts';
import { type GatewayProcess, useWorkshop } from '../support/gateway-process.ts';
import { graphqlApi } from '../support/graphql-api.ts';
import type { HttpResponse } from '../support/http.ts';
import { listenOnFreePort } from '../support/listen.ts';
import { openForm } from '../support/multipart.ts';
import { aDoctor, aPatient, freshEmail, freshPassword } from '../support/people.ts';
import { answerTo, openRequest, sendRaw } from '../support/raw-http.ts';
import { restApi } from '../support/rest-api.ts';
import { newWebhookSecret } from '../support/webhook-receiver.ts';

const workshop = useWorkshop();
/** Far beyond what any test takes: whatever is waited for to its end fails the test. */
const LONG_GRACE = { STOP_GRACE_SECONDS: '600' };

const inQuarantine = () => readdir(path.join(workshop.folder, 'storage/.quarantine'));

/** Sends an upload but for its end. */
async function beginUpload(url: string, api: Api = restApi(url)) {
  // Who was ended by force has left some to the sweep.
  const before = (await inQuarantine()).length;
  const { req, body } = await openForm(url, api.doctorRequest(aDoctor()));
  req.write(body.subarray(0, body.length - 10));
  await eventually(async () => expect(await inQuarantine()).toHaveLength(before + 3));
  return {
    finish: async () => {
      req.end(body.subarray(body.length - 10));
      registeredDoctor(api.doctorOutcome(await answerTo(req)));
    },
  };
}

const untilItAcceptsNoMore = (url: string) =>
  eventually(async () => {
    await expect(sendRaw(url, { path: '/healthz' })).rejects.toThrow('ECONNREFUSED');
  });

/** Less than the driver waits by itself (30 s), and room for a machine that stalls. */
const STOP_MILLIS = 25_000;

/** Checks that it ends with the code soon from now: without waiting for the grace. */
async function expectEnd(gateway: GatewayProcess, code: number): Promise<void> {
  const start = performance.now();
  expect(await gateway.exitCode()).toBe(code);
  expect(performance.now() - start).toBeLessThan(STOP_MILLIS);
}

describe('a running upload', () => {
  test('a running upload ends before a stop', async () => {
    const gateway = workshop.start(LONG_GRACE);
    const url = await gateway.url();
    const upload = await beginUpload(url);
    gateway.signal('SIGTERM');
    // It no longer accepts, but what runs continues.
    await untilItAcceptsNoMore(url);
    await upload.finish();
    await expectEnd(gateway, 0);
    expect(gateway.stderr).toBe('');
    expect(await inQuarantine()).toEqual([]);
  });

  test('a stop cuts uploads of both APIs after its grace and leaves nothing in quarantine', async () => {
    const gateway = workshop.start({ STOP_GRACE_SECONDS: '2' });
    const url = await gateway.url();
    await beginUpload(url);
    await beginUpload(url, graphqlApi(url));
    gateway.signal('SIGTERM');
    await expectEnd(gateway, 0);
    expect(await inQuarantine()).toEqual([]);
  });

  test('a second signal ends the wait for a running upload', async () => {
    const gateway = workshop.start(LONG_GRACE);
    const url = await gateway.url();
    await beginUpload(url);
    gateway.signal('SIGTERM');
    await untilItAcceptsNoMore(url);
    gateway.signal('SIGTERM');
    // As a shell has it: 128 and the number of the signal.
    await expectEnd(gateway, 143);
  });

  test('a running upload survives the second signal of a Ctrl-C under npm', async () => {
    const gateway = workshop.start(LONG_GRACE);
    const url = await gateway.url();
    const upload = await beginUpload(url);
    gateway.signal('SIGINT');
    await wait(10);
    gateway.signal('SIGINT');
    await untilItAcceptsNoMore(url);
    await upload.finish();
    await expectEnd(gateway, 0);
  });
});

describe('a connection that is kept', () => {
  test('a busy connection does not delay a stop', async () => {
    const gateway = workshop.start({ ...LONG_GRACE, RATE_LIMIT: 'off' });
    const url = await gateway.url();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const options = {
      agent,
      method: 'POST',
      path: '/api/v1/auth/login',
      // It says when it has begun with a request: a connection on which nothing runs is closed at once.
      headers: { 'Content-Type': 'application/json', Expect: '100-continue' },
    };
    const answers: HttpResponse[] = [];
    const login = JSON.stringify({ email: freshEmail(), password: freshPassword() });
    const ask = async () => {
      const req = openRequest(url, options);
      req.flushHeaders();
      await once(req, 'continue');
      if (answers.length === 2) {
        gateway.signal('SIGTERM');
        await untilItAcceptsNoMore(url);
      }
      req.end(login);
      answers.push(await answerTo(req));
    };
    const asking = (async () => {
      for (;;) {
        await ask();
      }
    })();
    // There is no other way for it to end than that nobody answers any more.
    await expect(asking).rejects.toThrow('ECONNREFUSED');
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
    const connections = answers.map(({ headers }) => headers.get('connection'));
    expect(connections).toEqual(['keep-alive', 'keep-alive', 'close']);
    await expectEnd(gateway, 0);
    agent.destroy();
  });

  test('the last answer on a connection during a stop has Connection: close', async () => {
    const gateway = workshop.start(LONG_GRACE);
    const url = await gateway.url();
    const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.write('GET /healthz HTTP/1.1\r\nHost: gateway.example\r\n\r\nGET /readyz HTTP/1.1\r\n');
    await eventually(() => expect(answer).toContain('"status":"ok"'));
    gateway.signal('SIGTERM');
    await untilItAcceptsNoMore(url);
    answer = '';
    socket.write('Host: gateway.example\r\n\r\n');
    await once(socket, 'close');
    expect(answer).toContain('503 Service Unavailable');
    expect(answer).toContain('Connection: close');
    expect(answer).toContain('"process":"is stopping"');
    await expectEnd(gateway, 0);
  });
});

describe('a stop comes to its end', () => {
  test('a stop ends when the database is unreachable', async () => {
    const proxy = await startDatabaseProxy();
    const gateway = workshop.start({ ...LONG_GRACE, MONGODB_URI: proxy.through(workshop.database.uri) });
    await gateway.url();
    proxy.swallow();
    gateway.signal('SIGTERM');
    await expectEnd(gateway, 0);
    await proxy.stop();
  });

  test('a stop ends with an error when the document store never answers', async () => {
    // It answers while the gateway starts, and not when the sweep asks it.
    const store = createServer();
    const sweeping = new Promise((resolve) => {
      store.on('request', (req, res) => (req.method === 'HEAD' ? res.end() : resolve(req.url)));
    });
    const gateway = workshop.start({
      STOP_GRACE_SECONDS: '0',
      DOCUMENT_STORE: 's3',
      S3_BUCKET: 'documents',
      S3_ENDPOINT: `http://127.0.0.1:${await listenOnFreePort(store)}`,
      S3_PATH_STYLE: 'on',
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'secret',
    });
    await gateway.url();
    await sweeping;
    gateway.signal('SIGTERM');
    await expectEnd(gateway, 1);
    expect(gateway.stderr).toContain('did not end in time');
    store.closeAllConnections();
    store.close();
  });

  test('a stop does not wait for the receiver of a webhook, and keeps the sum of refusals', async () => {
    // It never answers, and must not keep this process alive either.
    const receiver = createServer().unref();
    const asked = once(receiver, 'request');
    const url = `http://127.0.0.1:${await listenOnFreePort(receiver)}`;
    const endpoint = { name: 'records', url, types: ['*'], secrets: [newWebhookSecret()] };
    const gateway = workshop.start({
      ...FEED,
      STOP_GRACE_SECONDS: '1',
      RATE_LIMIT: 'on',
      RATE_LIMIT_LOGINS_PER_MINUTE: '1',
      WEBHOOKS: JSON.stringify([endpoint]),
    });
    const api = restApi(await gateway.url());
    const patient = aPatient();
    succeeded(await api.registerPatient(patient));
    const login = () => api.login({ email: patient.email, password: freshPassword() });
    refused(await login(), 'credentials');
    for (let refusal = 0; refusal < 3; refusal += 1) {
      refused(await login(), 'too many attempts');
    }
    await asked;
    gateway.signal('SIGTERM');
    await expectEnd(gateway, 0);
    const events = workshop.database.db.collection<Pick<AuditEvent, 'act' | 'count'>>('audit_events');
    expect(await events.countDocuments({ act: 'login', count: 2 })).toBe(1);
  });
});
