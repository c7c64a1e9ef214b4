import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import type { ClientRequest } from 'node:http';
import path from 'node:path';
import { doctorParts, encode, openUpload, textPart } from '../../documents/support/parts.ts';
import { throughEachApi } from '../../support/apis.ts';
import { aPdfOf } from '../../support/documents.ts';
import { eventually } from '../../support/eventually.ts';
import { refused, registeredDoctor } from '../../support/expectations.ts';
import type { HttpResponse } from '../../support/http.ts';
import { openForm } from '../../support/multipart.ts';
import { aDoctor } from '../../support/people.ts';
import { answerTo } from '../../support/raw-http.ts';
import { expectQuarantineEmpty, type TestApp, useTestApp } from '../../support/test-app.ts';

const MEBIBYTE = 1024 * 1024;
/** The largest body: three files of 1 MiB, and 1 MiB of text. */
const LARGEST_BYTES = 4 * MEBIBYTE;
const ADDRESS_UPLOADS = 4;
/** The geometric mean of the limits of an address and of all. */
const BLOCK_UPLOADS = 6;
/** How often an upload ends in each way. At the end one lost room would be found, so that an end that loses one is found at once. */
const ROUNDS = 2;

/** Small limits, and a proxy that sends the address of the sender. */
const SETTINGS = {
  MAX_FILE_BYTES: String(MEBIBYTE),
  MAX_ADDRESS_UPLOADS: String(ADDRESS_UPLOADS),
  MAX_ADDRESS_UPLOAD_BYTES: String(2 * LARGEST_BYTES),
  TRUST_PROXY: '1',
};
const app = useTestApp({ ...SETTINGS, MAX_UPLOADS: '10', MAX_UPLOAD_BYTES: String(4 * LARGEST_BYTES) });
const narrowApp = useTestApp({ ...SETTINGS, MAX_UPLOADS: '3', MAX_UPLOAD_BYTES: String(LARGEST_BYTES) });

const from = (address: string) => ({ 'X-Forwarded-For': address });
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i + 1}`);

async function quarantine({ storageDir }: TestApp): Promise<{ files: number; bytes: number }> {
  const folder = path.join(storageDir, '.quarantine');
  const sizes = await Promise.all(
    (await readdir(folder)).map(async (name) => (await stat(path.join(folder, name))).size),
  );
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

throughEachApi((apiOf) => {
  const api = () => apiOf(app.url);
  const large = () => aPdfOf(MEBIBYTE);
  const small = () => aDoctor({ licenseFile: aPdfOf(10_000) });
  const largeDoctor = () =>
    aDoctor({ licenseFile: large(), diplomaFile: large(), certificationFile: large() });

  /** An upload that declares its length and sends all but its end. */
  async function hold(address: string, { url } = app, fields: object = largeDoctor()) {
    const body = encode(await doctorParts(apiOf(url), fields as ReturnType<typeof aDoctor>));
    const req = openUpload(url, apiOf(url), body.length, { headers: from(address) });
    const end = body.length - 2000;
    req.write(body.subarray(0, end));
    const answer = answerTo(req);
    // An upload that is cut off has no answer.
    answer.catch(() => {});
    return { req, answer, finish: () => req.end(body.subarray(end)) };
  }

  /** Lets senders go away. */
  async function leave(senders: { req: ClientRequest }[]) {
    for (const { req } of senders) {
      req.destroy();
    }
    await expectQuarantineEmpty(app.storageDir);
  }

  async function register(address: string, { url } = app, fields = aDoctor()) {
    const { path: requestPath, headers, form } = apiOf(url).doctorRequest(fields);
    const request = { path: requestPath, form, headers: { ...headers, ...from(address) } };
    const { req, body } = await openForm(url, request);
    req.end(body);
    return apiOf(url).doctorOutcome(await answerTo(req));
  }

  function expectNoRoom(http: HttpResponse, status: 429 | 503) {
    refused(apiOf(app.url).doctorOutcome(http), status === 429 ? 'too many attempts' : 'unavailable');
    expect(http.status).toBe(status);
    expect(Number(http.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(http.headers.has('x-ratelimit-limit')).toBe(false);
  }

  test('ten slow senders at one address occupy at most the room of one address, and others can still upload', async () => {
    const senders = await Promise.all(names('sender', 10).map(() => hold('192.0.2.1')));
    const answers: HttpResponse[] = [];
    for (const { answer } of senders) {
      void answer.then((http) => answers.push(http)).catch(() => {});
    }
    await eventually(async () => {
      expect(answers).toHaveLength(8);
      expect((await quarantine(app)).files).toBe(6);
    });
    for (const http of answers) {
      expectNoRoom(http, 429);
    }
    expect((await quarantine(app)).bytes).toBeLessThanOrEqual(2 * LARGEST_BYTES);
    registeredDoctor(await register('192.0.2.2'));
    expectNoRoom(await (await hold('192.0.2.1')).answer, 429);
    await leave(senders);
  }, 30_000);

  test.each([
    ['a /24', (index: number) => `192.0.3.${index}`, '192.0.4.1'],
    ['a /48', (index: number) => `2001:db8:7:${index}00::1`, '2001:db8:8::1'],
    ['a /56', (index: number) => `2001:db8:9:${index}::1`, '2001:db8:a::1'],
  ])('all addresses of %s share its part', async (_, addressOf, elsewhere) => {
    const held = [];
    for (let index = 0; index < BLOCK_UPLOADS; index += 1) {
      held.push(await hold(addressOf(index), app, small()));
    }
    await eventually(async () => expect((await quarantine(app)).files).toBe(BLOCK_UPLOADS));
    expectNoRoom(await (await hold(addressOf(BLOCK_UPLOADS), app, small())).answer, 429);
    registeredDoctor(await register(elsewhere));
    await leave(held);
  });

  test('the gateway refuses a further upload by its headers, and accepts one when another upload has ended', async () => {
    const held = await Promise.all(names('h', ADDRESS_UPLOADS).map(() => hold('192.0.2.3', app, small())));
    await eventually(async () => expect((await quarantine(app)).files).toBe(ADDRESS_UPLOADS));
    const req = openUpload(app.url, api(), 1000, { headers: from('192.0.2.3') });
    req.flushHeaders();
    expectNoRoom(await answerTo(req), 429);
    req.destroy();
    held[0]?.finish();
    registeredDoctor(api().doctorOutcome(await (held[0] as (typeof held)[number]).answer));
    await eventually(async () => registeredDoctor(await register('192.0.2.3')));
    await leave(held);
  });

  test('the gateway refuses a body that is too long before the first byte is sent', async () => {
    const first = await hold('192.0.2.4');
    const second = await hold('192.0.2.4');
    await eventually(async () => expect((await quarantine(app)).files).toBe(6));
    const req = openUpload(app.url, api(), LARGEST_BYTES - 1, { headers: from('192.0.2.4') });
    req.flushHeaders();
    expectNoRoom(await answerTo(req), 429);
    await leave([{ req }, first, second]);
  });

  test('the gateway refuses a body without a declared length when it outgrows the room', async () => {
    const held = await hold('192.0.2.5', narrowApp, aDoctor({ licenseFile: large(), diplomaFile: large() }));
    await eventually(async () => expect((await quarantine(narrowApp)).files).toBeGreaterThan(0));
    const body = encode(await doctorParts(api(), largeDoctor()));
    const req = openUpload(narrowApp.url, api(), undefined, { headers: from('192.0.2.6') });
    req.write(body);
    expectNoRoom(await answerTo(req), 503);
    req.destroy();
    held.finish();
    registeredDoctor(api().doctorOutcome(await held.answer));
    await expectQuarantineEmpty(narrowApp.storageDir);
  });

  test('senders at many addresses occupy at most the total room, and further uploads get 503', async () => {
    const held: Awaited<ReturnType<typeof hold>>[] = [];
    // The uploads of the previous test may still hold room.
    await eventually(async () => {
      held.push(await hold(`192.0.2.${held.length}`, narrowApp, small()));
      expect((await quarantine(narrowApp)).files).toBe(3);
    });
    const req = openUpload(narrowApp.url, api(), 1000, { headers: from('192.0.2.200') });
    req.flushHeaders();
    expectNoRoom(await answerTo(req), 503);
    await leave([{ req }, ...held]);
    await eventually(async () => registeredDoctor(await register('192.0.2.200', narrowApp)));
  });

  test('an upload gives its room back however it ends, time and again', async () => {
    const parts = await doctorParts(api(), aDoctor());
    const body = encode(parts);
    const headers = from('192.0.2.7');
    const open = (length?: number) => openUpload(app.url, api(), length, { headers });
    const ends: (() => Promise<unknown>)[] = [
      // The sender goes away: before a byte, within the texts, within a file, before the end.
      ...[0, 10, Math.floor(body.length / 2), body.length - 1].map((length) => async () => {
        const req = open(body.length);
        const closed = new Promise((done) => req.once('close', done));
        if (length > 0) {
          req.write(body.subarray(0, length));
        }
        req.flushHeaders();
        await once(req, 'socket').then(([socket]) => socket.connecting && once(socket, 'connect'));
        req.destroy();
        await closed;
      }),
      // The body is no form, is cut short, has a broken part, has too many fields, is over the limit, is invalid.
      async () => {
        const req = open();
        req.end('nothing of the kind');
        return answerTo(req);
      },
      async () => {
        const req = open();
        req.end(body.subarray(0, body.length - 8));
        return answerTo(req);
      },
      async () => {
        const req = open();
        req.end(encode([...parts, { name: '', headers: ['no header'], content: Buffer.alloc(0) }]));
        return answerTo(req);
      },
      async () => {
        const req = open();
        req.end(encode([...parts, ...names('extra', 100).map((name) => textPart(name, 'x'))]));
        return answerTo(req);
      },
      async () => {
        const req = open(LARGEST_BYTES + 1);
        req.flushHeaders();
        await answerTo(req).finally(() => req.destroy());
      },
      async () => {
        const req = open();
        req.end(encode(await doctorParts(api(), aDoctor({ email: 'none' }))));
        return answerTo(req);
      },
    ];
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const end of ends) {
        await end();
      }
    }
    await expectQuarantineEmpty(app.storageDir);
    // The address has all of its room again.
    await eventually(async () => {
      const held = await Promise.all(names('h', ADDRESS_UPLOADS).map(() => hold('192.0.2.7', app, small())));
      try {
        for (const { finish } of held) {
          finish();
        }
        for (const { answer } of held) {
          registeredDoctor(api().doctorOutcome(await answer));
        }
      } finally {
        for (const { req } of held) {
          req.destroy();
        }
      }
    });
  }, 60_000);
});
