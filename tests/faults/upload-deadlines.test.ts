import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { doctorParts, encode, openUpload } from '../documents/support/parts.ts';
import { aPdfOf } from '../support/documents.ts';
import { throughEachDoor } from '../support/doors.ts';
import { eventually } from '../support/eventually.ts';
import { registeredDoctor } from '../support/expectations.ts';
import { jsonOf } from '../support/http.ts';
import { aDoctor } from '../support/people.ts';
import { answerTo } from '../support/raw-http.ts';
import { expectQuarantineEmpty, inventoryOf, useTestApp } from '../support/test-app.ts';

const stallApp = useTestApp({ UPLOAD_STALL_SECONDS: '1' });
const timeoutApp = useTestApp({ UPLOAD_TIMEOUT_SECONDS: '1' });

const MEBIBYTE = 1024 * 1024;

const filesInQuarantine = async (storageDir: string) =>
  (await readdir(path.join(storageDir, '.quarantine'))).length;

throughEachDoor((openDoor) => {
  /** Opens an upload and sends the better part of it. */
  async function begin(app: typeof stallApp) {
    const door = openDoor(app.url);
    const body = encode(await doctorParts(door, aDoctor({ licenseFile: aPdfOf(8192) })));
    const req = openUpload(app.url, door, body.length);
    req.write(body.subarray(0, 4096));
    return { req, rest: body.subarray(4096), answer: answerTo(req) };
  }

  async function expectTimeout(answer: ReturnType<typeof answerTo>) {
    const http = await answer;
    expect(http.status).toBe(408);
    expect(JSON.stringify(jsonOf(http))).toContain('"message":"Request Timeout"');
    expect(http.headers.get('connection')).toBe('close');
  }

  test('a sender that stops sending gets 408, loses its connection and leaves nothing behind', async () => {
    const before = await inventoryOf(stallApp);
    const { req, answer } = await begin(stallApp);
    await eventually(async () => expect(await filesInQuarantine(stallApp.storageDir)).toBe(1));
    const closed = once(req, 'close');
    await expectTimeout(answer);
    await closed;
    await expectQuarantineEmpty(stallApp.storageDir);
    expect(await inventoryOf(stallApp)).toEqual(before);
  });

  test('a sender of single bytes counts as stalled', async () => {
    const { req, rest, answer } = await begin(stallApp);
    const drip = setInterval(() => req.write(rest.subarray(0, 1)), 50);
    await expectTimeout(answer).finally(() => clearInterval(drip));
    await expectQuarantineEmpty(stallApp.storageDir);
  });

  test.each([
    { how: 'declares much', declaredBytes: 30 * MEBIBYTE, sentBytes: 100_000 },
    { how: 'has sent much without declaring it', declaredBytes: undefined, sentBytes: 9 * MEBIBYTE },
  ])('the gateway cuts off a slow sender who $how', async ({ declaredBytes, sentBytes }) => {
    const door = openDoor(stallApp.url);
    const body = encode(await doctorParts(door, aDoctor({ licenseFile: aPdfOf(9.5 * MEBIBYTE) })));
    const req = openUpload(stallApp.url, door, declaredBytes);
    const answer = answerTo(req);
    req.write(body.subarray(0, sentBytes));
    // 8 KB in a second: twice as much as a small upload needs, and half as much as 9 MiB need.
    const drip = setInterval(() => req.write(Buffer.alloc(800)), 100);
    await expectTimeout(answer).finally(() => clearInterval(drip));
    await expectQuarantineEmpty(stallApp.storageDir);
  });

  test('the gateway cuts off a body that takes too long, even if it is steady', async () => {
    const before = await inventoryOf(timeoutApp);
    const { req, answer } = await begin(timeoutApp);
    const stream = setInterval(() => req.write(Buffer.alloc(1)), 20);
    await expectTimeout(answer).finally(() => clearInterval(stream));
    await expectQuarantineEmpty(timeoutApp.storageDir);
    expect(await inventoryOf(timeoutApp)).toEqual(before);
  });

  test('the gateway serves a slow sender within its limits', async () => {
    const door = openDoor(stallApp.url);
    const body = encode(await doctorParts(door, aDoctor({ licenseFile: aPdfOf(40_000) })));
    const req = openUpload(stallApp.url, door, body.length);
    const answer = answerTo(req);
    for (let sent = 0; sent < body.length; sent += 8_000) {
      req.write(body.subarray(sent, sent + 8_000));
      await wait(300);
    }
    req.end();
    registeredDoctor(door.doctorOutcome(await answer));
  });
});
