import { readdir } from 'node:fs/promises';
import path from 'node:path';
import {
  doctorParts,
  encode,
  isFile,
  openUpload,
  type Part,
  textPart,
} from '../../documents/support/parts.ts';
import { throughEachApi } from '../../support/apis.ts';
import { aPdfOf } from '../../support/documents.ts';
import { eventually } from '../../support/eventually.ts';
import { expectInvalid, refused, registeredDoctor } from '../../support/expectations.ts';
import { send } from '../../support/http.ts';
import { openForm } from '../../support/multipart.ts';
import { aDoctor } from '../../support/people.ts';
import { answerTo } from '../../support/raw-http.ts';
import { restApi } from '../../support/rest-api.ts';
import { expectQuarantineEmpty, inventoryOf, useTestApp } from '../../support/test-app.ts';

const LIMIT_BYTES = 4096;
const MEBIBYTE = 1024 * 1024;

const app = useTestApp({ MAX_FILE_BYTES: String(LIMIT_BYTES) });
const defaultApp = useTestApp();

throughEachApi((apiOf) => {
  const register = (fields: object, url = app.url) => apiOf(url).registerDoctor(aDoctor({ ...fields }));
  const tooLarge = (label: string, kilobytes: number) => [
    `The ${label} field must not be greater than ${kilobytes} kilobytes.`,
  ];

  test('the gateway accepts a file of exactly the maximum size', async () => {
    const licenseFile = aPdfOf(LIMIT_BYTES);
    const { profile } = registeredDoctor(await register({ licenseFile }));
    expect((await send(profile.licenseFileUrl)).bytes.equals(licenseFile.bytes)).toBe(true);
  });

  test('the gateway refuses a file that is one byte too large, and does not truncate it', async () => {
    const before = await inventoryOf(app);
    const file = aPdfOf(LIMIT_BYTES + 1);
    expectInvalid(await register({ licenseFile: file }), { licenseFile: tooLarge('license file', 4) });
    expectInvalid(await register({ diplomaFile: file, certificationFile: file }), {
      diplomaFile: tooLarge('diploma file', 4),
      certificationFile: tooLarge('certification file', 4),
    });
    await expectQuarantineEmpty(app.storageDir);
    expect(await inventoryOf(app)).toEqual(before);
  });

  test.each([
    { name: 'that tells its length', withLength: true },
    { name: 'in chunks', withLength: false },
  ])('the gateway answers 413 to a body over the limit $name', async ({ withLength }) => {
    const before = await inventoryOf(app);
    const api = apiOf(app.url);
    const request = api.doctorRequest(aDoctor({ licenseFile: aPdfOf(4 * MEBIBYTE) }));
    const { req, body } = await openForm(app.url, request, withLength);
    req.end(body);
    const refusal = refused(api.doctorOutcome(await answerTo(req)), 'too large');
    expect(refusal.http.status).toBe(413);
    expect(refusal.message).toBe('The POST data is too large.');
    await expectQuarantineEmpty(app.storageDir);
    expect(await inventoryOf(app)).toEqual(before);
    registeredDoctor(await register({}));
  });
});

// GraphQL has two texts of 100 KiB at most.
test.each([
  ['after its files', (files: Part[], texts: Part[]) => [...files, ...texts]],
  ['before a file that does not end', (files: Part[], texts: Part[]) => [...texts, ...files]],
])('the gateway answers 413 to an upload with more than 1 MiB of texts %s', async (_, inOrder) => {
  const { url, storageDir } = defaultApp;
  const api = restApi(url);
  const parts = await doctorParts(api, aDoctor());
  const first = parts.filter((part) => !isFile(part));
  const texts = Array.from({ length: 11 }, (_, i) => textPart(`more${i}`, 'x'.repeat(100_000)));
  const req = openUpload(url, api);
  req.write(encode([...first, ...inOrder(parts.filter(isFile), texts)]).subarray(0, -100));
  const refusal = refused(api.doctorOutcome(await answerTo(req)), 'too large');
  req.destroy();
  expect(refusal.http.status).toBe(413);
  await expectQuarantineEmpty(storageDir);
  registeredDoctor(await api.registerDoctor(aDoctor()));
});

const filesInQuarantine = async () => (await readdir(path.join(app.storageDir, '.quarantine'))).length;

/** Where a body is cut off: a few bytes into its nth PDF, or before its closing boundary. */
const ENDS: [where: string, files: number, lengthOf: (body: Buffer) => number][] = [
  ['within the first file', 1, (body) => body.indexOf('%PDF') + 10],
  ['within the second file', 2, (body) => body.indexOf('%PDF', body.indexOf('%PDF') + 1) + 10],
  ['within the last file', 3, (body) => body.lastIndexOf('%PDF') + 10],
  ['before the closing boundary', 3, (body) => body.length - 8],
];

throughEachApi((apiOf) => {
  test.each(ENDS)('a sender that disconnects %s leaves nothing behind', async (_where, files, lengthOf) => {
    const before = await inventoryOf(app);
    const { req, body } = await openForm(app.url, apiOf(app.url).doctorRequest(aDoctor()));
    req.write(body.subarray(0, lengthOf(body)));
    await eventually(async () => expect(await filesInQuarantine()).toBe(files));
    req.destroy();
    await expectQuarantineEmpty(app.storageDir);
    expect(await inventoryOf(app)).toEqual(before);
  });

  test('other callers can register after many senders have disconnected', async () => {
    const open = () => openForm(app.url, apiOf(app.url).doctorRequest(aDoctor()));
    const requests = await Promise.all(Array.from({ length: 20 }, open));
    for (const { req, body } of requests) {
      req.write(body.subarray(0, body.lastIndexOf('%PDF')));
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
    const { req, body } = await openForm(app.url, apiOf(app.url).doctorRequest(aDoctor()), false);
    req.end(body.subarray(0, body.length - 8));
    refused(apiOf(app.url).doctorOutcome(await answerTo(req)), 'bad request');
    await expectQuarantineEmpty(app.storageDir);
    expect(await inventoryOf(app)).toEqual(before);
  });
});
