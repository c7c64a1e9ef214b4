import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { throughEachApi } from '../../support/apis.ts';
import { eventually } from '../../support/eventually.ts';
import { refused, registeredDoctor } from '../../support/expectations.ts';
import { openForm } from '../../support/multipart.ts';
import { aDoctor } from '../../support/people.ts';
import { answerTo } from '../../support/raw-http.ts';
import { expectQuarantineEmpty, inventoryOf, useTestApp } from '../../support/test-app.ts';

const app = useTestApp();

const filesInQuarantine = async () => (await readdir(path.join(app.storageDir, '.quarantine'))).length;

/** A body cut off a few bytes into its nth PDF. */
function upToWithinFile(body: Buffer, nth: number): Buffer {
  let start = -1;
  for (let file = 0; file < nth; file += 1) {
    start = body.indexOf('%PDF', start + 1);
  }
  return body.subarray(0, start + 10);
}

throughEachApi((apiOf) => {
  const open = (fields = aDoctor()) => openForm(app.url, apiOf(app.url).doctorRequest(fields));

  test.each([1, 2, 3])('a sender that disconnects within file %i leaves nothing behind', async (nth) => {
    const before = await inventoryOf(app);
    const { req, body } = await open();
    req.write(upToWithinFile(body, nth));
    await eventually(async () => expect(await filesInQuarantine()).toBe(nth));
    req.destroy();
    await expectQuarantineEmpty(app.storageDir);
    expect(await inventoryOf(app)).toEqual(before);
  });

  test('a sender that disconnects before the closing boundary registers nobody', async () => {
    const before = await inventoryOf(app);
    const { req, body } = await open();
    req.write(body.subarray(0, body.length - 8));
    await eventually(async () => expect(await filesInQuarantine()).toBe(3));
    req.destroy();
    await expectQuarantineEmpty(app.storageDir);
    expect(await inventoryOf(app)).toEqual(before);
  });

  test('other callers can register after many senders have disconnected', async () => {
    const requests = await Promise.all(Array.from({ length: 20 }, () => open()));
    for (const { req, body } of requests) {
      req.write(upToWithinFile(body, 2));
    }
    await eventually(async () => expect(await filesInQuarantine()).toBeGreaterThan(0));
    for (const { req } of requests) {
      req.destroy();
    }
    registeredDoctor(await apiOf(app.url).registerDoctor(aDoctor()));
    await expectQuarantineEmpty(app.storageDir);
  });

  test('the gateway answers a body that ends before its closing boundary, and registers nobody', async () => {
    const before = await inventoryOf(app);
    const request = apiOf(app.url).doctorRequest(aDoctor());
    const { req, body } = await openForm(app.url, request, false);
    req.end(body.subarray(0, body.length - 8));
    refused(apiOf(app.url).doctorOutcome(await answerTo(req)), 'bad request');
    await expectQuarantineEmpty(app.storageDir);
    expect(await inventoryOf(app)).toEqual(before);
  });
});
