import { Agent, request } from 'node:http';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { throughEachApi } from '../support/apis.ts';
import { aPdfOf } from '../support/documents.ts';
import { refused, registeredDoctor } from '../support/expectations.ts';
import { type GatewayProcess, useWorkshop } from '../support/gateway-process.ts';
import { encodeForm } from '../support/multipart.ts';
import { aMember } from '../support/outages.ts';
import { aDoctor, aPatient } from '../support/people.ts';
import { answerTo, openRequest } from '../support/raw-http.ts';
import { registeredInTheEnd, withRetries } from '../support/retries.ts';
import { me } from './support/questions.ts';
import { visit } from './support/visit.ts';

const STALL_MILLIS = 2_000;
/** Until the signal has been seen. */
const NOTICE_MILLIS = 100;
const PRELOAD = pathToFileURL(path.resolve('tests/faults/support/stall-preload.mjs')).href;

const workshop = useWorkshop();
let gateway: GatewayProcess;
let url: string;
beforeAll(async () => {
  gateway = workshop.start({
    NODE_OPTIONS: `--import ${PRELOAD}`,
    TEST_STALL_MILLIS: String(STALL_MILLIS),
    RATE_LIMIT: 'off',
    UPLOAD_STALL_SECONDS: '1',
    // Some fifty milliseconds: long enough for several to wait for one another.
    BCRYPT_COST: '9',
  });
  url = await gateway.url();
  // Connections to the database for all that follow.
  const { token } = await aMember(url);
  await withRetries(() => Promise.all(Array.from({ length: 20 }, () => me(url, token))));
});

/** Lets the gateway do nothing for two seconds, from now on. */
async function stall(): Promise<void> {
  gateway.signal('SIGUSR2');
  await wait(NOTICE_MILLIS);
}

throughEachApi((apiOf) => {
  test('a stall of the gateway does not refuse logins that wait for their hash', async () => {
    const patient = aPatient();
    await registeredInTheEnd(apiOf(url), patient, () => apiOf(url).registerPatient(patient));
    // On a busy machine the hashes alone may take too long.
    await withRetries(async () => {
      const loggedBefore = gateway.stdout.length;
      const logins = Array.from({ length: 8 }, () => apiOf(url).login(patient));
      // More than can be hashed at a time have come by then.
      await wait(NOTICE_MILLIS / 2);
      await stall();
      // What the database has answered during a stall may be lost, because the driver's timers too are called first.
      for (const outcome of await Promise.all(logins)) {
        if (!outcome.ok) {
          refused(outcome, 'unavailable');
        }
      }
      expect(gateway.stdout.slice(loggedBefore)).not.toContain('the wait in the hash queue was too long');
    });
    await visit(url);
  }, 60_000);

  /** A sender who stands still himself is cut, and rightly so: on a busy machine he may have to come again. */
  const uploadSteadily = async () => {
    const {
      path: target,
      headers,
      form,
    } = apiOf(url).doctorRequest(aDoctor({ licenseFile: aPdfOf(500_000) }));
    const { contentType, body } = await encodeForm(form);
    const req = openRequest(url, {
      path: target,
      method: 'POST',
      headers: { ...headers, 'Content-Type': contentType, 'Content-Length': body.length },
    });
    const answer = answerTo(req);
    // It is waited for when all has been sent.
    answer.catch(() => {});
    const pieces = 40;
    const size = Math.ceil(body.length / pieces);
    for (let i = 0; i < pieces; i += 1) {
      if (i === 10) {
        gateway.signal('SIGUSR2');
      }
      req.write(body.subarray(i * size, (i + 1) * size));
      await wait(STALL_MILLIS / 20);
    }
    req.end();
    registeredDoctor(apiOf(url).doctorOutcome(await answer));
  };

  test('a stall of the gateway does not cut a steady upload', () => withRetries(uploadSteadily), 60_000);
});

test('the gateway answers idle connections that were used again during its stall', async () => {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  const ask = () => {
    const req = request({ hostname, port, agent, path: '/api/v1/auth/logout', method: 'POST' });
    req.end();
    return answerTo(req);
  };
  const askAll = async () => {
    const statuses = await Promise.all(Array.from({ length: 50 }, async () => (await ask()).status));
    expect(statuses).toEqual(Array(50).fill(401));
  };
  await withRetries(async () => {
    await askAll();
    // Node lets them be idle for five seconds, and one more: who comes later than that may well be cut.
    await wait(4_500);
    await stall();
    await askAll();
  });
  agent.destroy();
}, 60_000);

test('the gateway answers requests of a stall after it and is soon as fast as before', async () => {
  const { patient, token } = await aMember(url);
  await withRetries(async () => {
    await stall();
    const answers = await Promise.all(Array.from({ length: 50 }, () => me(url, token)));
    expect(answers).toEqual(Array(50).fill({ email: patient.email }));
    const startedAt = performance.now();
    await me(url, token);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
}, 60_000);
