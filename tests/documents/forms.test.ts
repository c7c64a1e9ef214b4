import { Agent } from 'node:http';
import { type Api, throughEachApi } from '../support/apis.ts';
import { aPdf, CONTENT } from '../support/documents.ts';
import { eventually } from '../support/eventually.ts';
import { expectInvalid, refused, registeredDoctor } from '../support/expectations.ts';
import type { HttpResponse } from '../support/http.ts';
import { aDoctor } from '../support/people.ts';
import { answerTo } from '../support/raw-http.ts';
import { restApi } from '../support/rest-api.ts';
import { expectQuarantineEmpty, useTestApp } from '../support/test-app.ts';
import { allFiles, everythingIn, letTwoHoursPass, sweep } from './support/aftermath.ts';
import {
  doctorParts,
  encode,
  filePart,
  isFile,
  openUpload,
  overOneConnection,
  type Part,
  sendParts,
  textPart,
} from './support/parts.ts';

const app = useTestApp({ MAX_FILE_BYTES: '4096' });

const range = (length: number) => Array.from({ length }, (_, i) => i);

throughEachApi((apiOf) => {
  const isRest = apiOf === restApi;
  const api = (): Api => apiOf(app.url);
  const send = (parts: Part[], spelling?: Parameters<typeof sendParts>[3]) =>
    sendParts(app.url, api(), parts, spelling);
  const outcome = async (parts: Part[], spelling?: Parameters<typeof sendParts>[3]) =>
    api().doctorOutcome(await send(parts, spelling));
  const partsOf = (fields = aDoctor()) => doctorParts(api(), fields);

  /** The parts with the first file replaced. */
  async function withLicense(replace: (license: Part) => Part[]): Promise<Part[]> {
    const parts = await partsOf();
    const license = parts.find(isFile);
    return parts.flatMap((part) => (part === license ? replace(part) : [part]));
  }

  /** Checks that something is refused, leaves nothing behind, and does not disturb the next request on the connection. */
  async function expectRefused(
    request: (agent: Agent) => Promise<HttpResponse>,
    kind: Parameters<typeof refused>[1],
  ): Promise<void> {
    await expectQuarantineEmpty(app.storageDir);
    const before = await everythingIn(app);
    await overOneConnection(async (agent) => {
      refused(api().doctorOutcome(await request(agent)), kind);
      await eventually(async () => expect(await everythingIn(app)).toEqual(before));
      registeredDoctor(await outcome(await partsOf(), { agent }));
    });
  }

  describe('files', () => {
    test('the gateway serves a PDF with an archive behind it as a PDF and never unpacks it', async () => {
      const licenseFile = { name: 'license.pdf', bytes: Buffer.concat([aPdf().bytes, CONTENT.zip]) };
      const { profile } = registeredDoctor(await outcome(await partsOf(aDoctor({ licenseFile }))));
      expect(profile.licenseFileUrl).toMatch(/\.pdf$/);
    });

    test('a refusal reports a missing file and the mistakes in texts together', async () => {
      const parts = (await partsOf(aDoctor({ name: '', licenseFile: undefined }))).filter(
        ({ name }) => name !== 'license_file',
      );
      const errors = {
        name: ['The name field is required.'],
        licenseFile: ['The license file field is required.'],
      };
      if (isRest) {
        expectInvalid(await outcome(parts), errors);
      } else {
        refused(await outcome(parts), 'validation');
      }
    });

    test('the gateway answers a body that lacks a file of the map', async () => {
      const parts = await withLicense(() => []);
      await expectRefused((agent) => send(parts, { agent }), isRest ? 'validation' : 'bad request');
    });

    test('a form uses the last of two files under one name, and a GraphQL request uses neither', async () => {
      const second = aPdf('second.php');
      const parts = await withLicense((part) => [
        part,
        filePart(part.name, 'filename="second.php"', second.bytes),
      ]);
      await expectRefused((agent) => send(parts, { agent }), isRest ? 'validation' : 'bad request');
    });

    test('the gateway refuses a text in place of a file', async () => {
      const parts = await withLicense(({ name }) => [textPart(name, 'license.pdf')]);
      await expectRefused((agent) => send(parts, { agent }), isRest ? 'validation' : 'bad request');
    });

    test('the gateway refuses a file in place of a text', async () => {
      const parts = (await partsOf()).map((part) =>
        part.name === 'name' || part.name === 'map'
          ? filePart(part.name, 'filename="a.pdf"', part.content)
          : part,
      );
      await expectRefused((agent) => send(parts, { agent }), isRest ? 'validation' : 'bad request');
    });

    test('the gateway ignores an unexpected file of a form and refuses one of a GraphQL operation', async () => {
      const parts = [...(await partsOf()), filePart('extra', 'filename="extra.pdf"', aPdf().bytes)];
      if (!isRest) {
        return expectRefused((agent) => send(parts, { agent }), 'too large');
      }
      const before = (await allFiles(app.storageDir)).length;
      registeredDoctor(await outcome(parts));
      await expectQuarantineEmpty(app.storageDir);
      expect(await allFiles(app.storageDir)).toHaveLength(before + 3);
    });

    test('the gateway refuses too many files', async () => {
      const extra = range(10).map((i) => filePart(`extra${i}`, 'filename="a.pdf"', aPdf().bytes));
      const parts = [...(await partsOf()), ...extra];
      await expectRefused((agent) => send(parts, { agent }), 'too large');
    });

    test('the gateway refuses too many parts', async () => {
      const extra = range(100).map((i) => textPart(`extra${i}`, 'x'));
      const parts = [...(await partsOf()), ...extra];
      await expectRefused((agent) => send(parts, { agent }), isRest ? 'too large' : 'bad request');
    });

    test('the gateway refuses a text field that is too long', async () => {
      const long = textPart(isRest ? 'name' : 'operations', 'x'.repeat(300_000));
      const parts = (await partsOf()).map((part) => (part.name === long.name ? long : part));
      await expectRefused((agent) => send(parts, { agent }), 'too large');
    });
  });

  test('the gateway accepts files in any order', async () => {
    for (const order of [
      [2, 1, 0],
      [1, 2, 0],
    ]) {
      const parts = await partsOf();
      const files = parts.filter(isFile);
      const texts = parts.filter((part) => !isFile(part));
      registeredDoctor(await outcome([...texts, ...order.map((at) => files[at] as Part)]));
    }
  });

  test('the gateway accepts files before the texts of a form and refuses files before the map of a GraphQL request', async () => {
    const parts = await partsOf();
    const reversed = [...parts].reverse();
    if (isRest) {
      registeredDoctor(await outcome(reversed));
    } else {
      await expectRefused((agent) => send(reversed, { agent }), 'bad request');
    }
  });

  describe('file names', () => {
    test('a line break in a file name begins a header of the part and not of the answer', async () => {
      const fileName = 'filename="license.pdf\r\nX-Injected: yes\r\n\r\n"';
      const parts = await withLicense(({ name, content }) => [filePart(name, fileName, content)]);
      const http = await send(parts);
      expect(http.headers.has('x-injected')).toBe(false);
      expect(http.status).toBeLessThan(500);
      await expectQuarantineEmpty(app.storageDir);
    });
  });

  describe('boundaries', () => {
    test('a line that begins with the boundary does not end a file', async () => {
      const bytes = Buffer.concat([aPdf().bytes, Buffer.from('\r\n--a-boundary-of-the-test\r\n--\r\n-')]);
      const licenseFile = { name: 'license.pdf', bytes };
      registeredDoctor(await outcome(await partsOf(aDoctor({ licenseFile }))));
    });
  });

  describe('bodies', () => {
    test('a body that ends early, at any 1,000th byte, leaves nothing behind', async () => {
      const before = await everythingIn(app);
      const body = encode(
        await partsOf(
          aDoctor({
            licenseFile: { name: 'a.pdf', bytes: Buffer.concat([aPdf().bytes, Buffer.alloc(3900)]) },
          }),
        ),
      );
      for (let length = 1; length < body.length; length += 1000) {
        const gone = openUpload(app.url, api(), body.length);
        gone.write(body.subarray(0, length), () => gone.destroy());
        const ended = openUpload(app.url, api());
        ended.end(body.subarray(0, length));
        refused(api().doctorOutcome(await answerTo(ended)), 'bad request');
      }
      await eventually(async () => expect(await everythingIn(app)).toEqual(before));
    });

    test('the gateway answers 400 to a broken part after the last file', async () => {
      const broken: Part = { name: '', headers: ['no header'], content: Buffer.alloc(0) };
      const parts = [...(await partsOf()), broken];
      await expectRefused((agent) => send(parts, { agent }), 'bad request');
    });

    test('the gateway reads a body in chunks without a length', async () => {
      const body = encode(await partsOf());
      const req = openUpload(app.url, api());
      for (const byte of body.subarray(0, 600)) {
        req.write(Buffer.of(byte));
      }
      req.end(body.subarray(600));
      registeredDoctor(api().doctorOutcome(await answerTo(req)));
    });

    test('a sender that waits for 100-continue gets it', async () => {
      const body = encode(await partsOf());
      const req = openUpload(app.url, api(), body.length, { headers: { Expect: '100-continue' } });
      req.flushHeaders();
      req.once('continue', () => req.end(body));
      registeredDoctor(api().doctorOutcome(await answerTo(req)));
    });

    test('the gateway ignores what follows the last boundary', async () => {
      const body = Buffer.concat([encode(await partsOf()), Buffer.from('epilogue')]);
      const req = openUpload(app.url, api(), body.length);
      req.end(body);
      registeredDoctor(api().doctorOutcome(await answerTo(req)));
    });
  });
});

test('these requests leave no file in quarantine and no orphan in storage', async () => {
  await expectQuarantineEmpty(app.storageDir);
  await letTwoHoursPass(app);
  expect(await sweep(app, { dryRun: true })).toEqual([]);
});
