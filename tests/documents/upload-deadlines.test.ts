import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { throughEachApi } from '../support/apis.ts';
import { aPdfOf } from '../support/documents.ts';
import { eventually } from '../support/eventually.ts';
import { registeredDoctor } from '../support/expectations.ts';
import { jsonOf } from '../support/http.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { aDoctor } from '../support/people.ts';
import { answerTo } from '../support/raw-http.ts';
import { expectQuarantineEmpty, inventoryOf, type TestApp, useTestApp } from '../support/test-app.ts';
import { doctorParts, encode, openUpload } from './support/parts.ts';

const STALL_MILLIS = 1_000;
const TIMEOUT_MILLIS = 300_000;
const SETTINGS = {
  UPLOAD_STALL_SECONDS: String(STALL_MILLIS / 1000),
  UPLOAD_TIMEOUT_SECONDS: String(TIMEOUT_MILLIS / 1000),
};

const clock = new ManualClock();
const app = useTestApp(SETTINGS, undefined, undefined, clock);
/** For the test that goes through the whole timeout in steps. */
const SHORT_TIMEOUT_MILLIS = 30_000;
const hastyApp = useTestApp(
  { ...SETTINGS, UPLOAD_TIMEOUT_SECONDS: String(SHORT_TIMEOUT_MILLIS / 1000) },
  undefined,
  undefined,
  clock,
);

const MEBIBYTE = 1024 * 1024;
/** Text fields and headers of parts do not go to quarantine. */
const MAX_OTHER_BYTES = 3_000;

async function bytesInQuarantine({ storageDir }: TestApp): Promise<number> {
  const folder = path.join(storageDir, '.quarantine');
  const files = await readdir(folder);
  const sizes = files.map(async (name) => (await stat(path.join(folder, name))).size);
  return (await Promise.all(sizes)).reduce((total, size) => total + size, 0);
}

/** Waits until an app has received so much of a body. */
const received = (to: TestApp, bytes: number) =>
  eventually(async () => expect(await bytesInQuarantine(to)).toBeGreaterThan(bytes - MAX_OTHER_BYTES));

throughEachApi((apiOf) => {
  /** Opens an upload, and sends its beginning. */
  async function begin(documentBytes: number, sentBytes: number, { isDeclared = true, to = app } = {}) {
    const api = apiOf(to.url);
    const body = encode(await doctorParts(api, aDoctor({ licenseFile: aPdfOf(documentBytes) })));
    const req = openUpload(to.url, api, isDeclared ? body.length : undefined);
    const answer = answerTo(req);
    let sent = 0;
    const send = async (bytes: number) => {
      req.write(body.subarray(sent, sent + bytes));
      sent += bytes;
      // After the last byte the documents may leave the quarantine at any moment.
      if (sent < body.length) {
        await received(to, sent);
      }
    };
    await send(sentBytes);
    return { api, req, body, answer, send };
  }

  async function expectTimeout(answer: ReturnType<typeof answerTo>, { storageDir } = app) {
    const http = await answer;
    expect(http.status).toBe(408);
    expect(JSON.stringify(jsonOf(http))).toContain('"message":"Request Timeout"');
    expect(http.headers.get('connection')).toBe('close');
    await expectQuarantineEmpty(storageDir);
  }

  test('a sender who stops sending gets a 408 and is cut off, and nothing is left', async () => {
    const before = await inventoryOf(app);
    const { req, answer } = await begin(20_000, 10_000);
    const closed = once(req, 'close');
    await clock.advance(2 * STALL_MILLIS);
    await expectTimeout(answer);
    await closed;
    expect(await inventoryOf(app)).toEqual(before);
  });

  test('a sender who sends single bytes has stalled, too', async () => {
    const { req, answer } = await begin(20_000, 10_000);
    for (let second = 0; second < 2; second += 1) {
      req.write(Buffer.alloc(1));
      await clock.advance(STALL_MILLIS);
    }
    await expectTimeout(answer);
  });

  test.each([
    { how: 'declares much', isDeclared: true, sentBytes: 100_000 },
    { how: 'has sent much without declaring it', isDeclared: false, sentBytes: 9 * MEBIBYTE },
  ])(
    'a sender who $how must be faster than a sender of a small upload, or is cut off',
    async ({ isDeclared, sentBytes }) => {
      const { answer, send } = await begin(9.5 * MEBIBYTE, sentBytes, { isDeclared });
      await clock.advance(STALL_MILLIS);
      // In a second: twice as much as a small upload needs, and half as much as 9 MiB need.
      await send(8_000);
      await clock.advance(STALL_MILLIS);
      await expectTimeout(answer);
    },
  );

  test('a body that takes longer than it may is cut off, even if it comes steadily', async () => {
    const before = await inventoryOf(hastyApp);
    const { req, answer, send } = await begin(350_000, 10_000, { to: hastyApp });
    const answered = once(req, 'response').then(() => 'answered');
    for (let second = 1; second < SHORT_TIMEOUT_MILLIS / STALL_MILLIS; second += 1) {
      await send(10_000);
      await clock.advance(STALL_MILLIS);
    }
    expect(await Promise.race([answered, 'not yet answered'])).toBe('not yet answered');
    await send(10_000);
    await clock.advance(STALL_MILLIS);
    await expectTimeout(answer, hastyApp);
    expect(await inventoryOf(hastyApp)).toEqual(before);
  });

  test('a sender who is slow, but no slower than allowed, is served', async () => {
    const { api, req, body, answer, send } = await begin(40_000, 8_000);
    for (let sent = 8_000; sent < body.length; sent += 8_000) {
      await clock.advance(STALL_MILLIS);
      await send(8_000);
    }
    req.end();
    registeredDoctor(api.doctorOutcome(await answer));
  });
});
