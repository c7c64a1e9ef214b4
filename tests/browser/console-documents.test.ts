import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { constants, deflateRawSync } from 'node:zlib';
import type { Locator, Page } from 'playwright-core';
import { CONTENT, pdfOf, tiffOf, zipOf } from '../support/documents.ts';
import { eventually } from '../support/eventually.ts';
import { newStaffReviewer, OPERATOR_API, type Staff } from '../support/operators.ts';
import { REAL_TIME, useTestApp } from '../support/test-app.ts';
import { useBrowser } from './support/browser.ts';
import { accessibilityProblems } from './support/pages.ts';
import { aRegisteredDoctor, openReviews, pick } from './support/reviews.ts';

const browser = useBrowser();
const app = useTestApp(OPERATOR_API, undefined, ...REAL_TIME);
let reviewer: Staff;
beforeAll(async () => {
  reviewer = await newStaffReviewer(app);
});

type Shown = readonly [extension: string, bytes: Buffer];

/** What a sender may send, of each type. */
const ACCEPTED: Readonly<Record<string, Buffer>> = { ...CONTENT, tif: CONTENT.tiff, jpg: CONTENT.jpeg };

/** A doctor with three documents. Their bytes are written into the storage, because no upload accepts all of them. */
async function aDoctorWith(...documents: readonly Shown[]) {
  const fileOf = (index: number) => {
    const [extension = '', bytes = Buffer.alloc(0)] = documents[index] ?? ['png', CONTENT.png];
    return { upload: { name: `document.${extension}`, bytes: ACCEPTED[extension] ?? bytes }, bytes };
  };
  const files = [fileOf(0), fileOf(1), fileOf(2)] as const;
  const [licenseFile, diplomaFile, certificationFile] = files.map(({ upload }) => upload);
  const doctor = await aRegisteredDoctor(app, { licenseFile, diplomaFile, certificationFile });
  const { licenseFileUrl, diplomaFileUrl, certificationUrl } = doctor.profile;
  for (const [index, url] of [licenseFileUrl, diplomaFileUrl, certificationUrl].entries()) {
    const name = new URL(url ?? '').pathname.replace('/storage/', '');
    await writeFile(path.join(app.storageDir, name), files[index]?.bytes ?? '');
  }
  return doctor;
}

const open = () => openReviews(browser, app, reviewer);

/** Shows a doctor with these documents. The session stays. */
async function review(page: Page, ...documents: readonly Shown[]): Promise<void> {
  const doctor = await aDoctorWith(...documents);
  await page.reload();
  await pick(page, doctor.name);
}

const picture = (page: Page, name: string): Locator => page.getByRole('img', { name, exact: true });

/** The proportions of a picture that is drawn. */
async function proportionsOf(image: Locator, expected: number): Promise<void> {
  await eventually(async () => {
    expect(await image.getAttribute('aria-busy')).toBe('false');
    expect(await image.evaluate(({ width, height }: HTMLCanvasElement) => width / height)).toBeCloseTo(
      expected,
      1,
    );
  });
}

/** A HEIC of 64 x 32 pixels, a grid of one tile, made by heif-enc. */
const HEIC = Buffer.from(
  'AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAaptZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAAA5waXRtAAAAAAACAAAAEGlkYXQAAAAAAEAAIAAAADhpbG9jAQAAAERAAAIAAQAAAAAAAAHOAAEAAAAAAAAAKQACAAEAAAAAAAAAAQAAAAAAAAAIAAAAOGlpbmYAAAAAAAIAAAAVaW5mZQIAAAEAAQAAaHZjMQAAAAAVaW5mZQIAAAAAAgAAZ3JpZAAAAADVaXBycAAAALNpcGNvAAAAc2h2Y0MBA3AAAAAAAAAAAAAe8AD8/fj4AAAPAyAAAQAYQAEMAf//A3AAAAMAkAAAAwAAAwAeugJAIQABACdCAQEDcAAAAwCQAAADAAADAB6gIIEFlurkprmwIAAAAwAgAAADACEiAAEABkQBwXPAiQAAABRpc3BlAAAAAAAAAEAAAABAAAAAFGlzcGUAAAAAAAAAQAAAACAAAAAQcGl4aQAAAAADCAgIAAAAGmlwbWEAAAAAAAAAAgABAoECAAICA4QAAAAaaXJlZgAAAAAAAAAOZGltZwACAAEAAQAAADFtZGF0AAAAJSgBrxmA70mlv//cOXqr/hfvNjb/qf2T5G/LUCOfC/pdSe/0Lzg=',
  'base64',
);

/** A JPEG of 40 x 20 pixels from the browser, held so that it must be turned to the right (EXIF 2.3, 4.6.4). */
async function turnedJpeg(page: Page): Promise<Buffer> {
  const url = await page.evaluate(() =>
    Object.assign(document.createElement('canvas'), { width: 40, height: 20 }).toDataURL('image/jpeg'),
  );
  const jpeg = Buffer.from(url.replace(/^.*,/, ''), 'base64');
  const exif = '45786966000049492a0008000000010012010300010000000600000000000000';
  const segment = Buffer.from(`ffe10022${exif}`, 'hex');
  return Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]);
}

const text = (content: string) => `<</Length ${content.length}>>stream\n${content}\nendstream `;
const PAGE = '/Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>';
const CONTENTS = [
  text('BT /F 20 Tf 10 50 Td (Licence of Dr. Who) Tj ET'),
  '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
];
const ALERT = '<</S/JavaScript/JS(for\\(;;\\) app.alert\\(1\\))>>';
const ACTIVE_PDF = pdfOf([
  `<</Type/Catalog/Pages 2 0 R/OpenAction ${ALERT}/AA<</WC ${ALERT}>>/AcroForm<</Fields[6 0 R]/CO[6 0 R]>>/Names<</JavaScript<</Names[(a)${ALERT}]>>/EmbeddedFiles<</Names[(x.exe)<</Type/Filespec/F(x.exe)/EF<</F 8 0 R>>>>]>>>>>>`,
  '<</Type/Pages/Kids[3 0 R]/Count 1>>',
  `<<${PAGE}/AA<</O ${ALERT}>>/Annots[6 0 R 7 0 R]>>`,
  ...CONTENTS,
  `<</Type/Annot/Subtype/Widget/FT/Tx/T(password)/Rect[0 0 200 50]/A ${ALERT}/AA<</F ${ALERT}/E ${ALERT}>>>>`,
  '<</Type/Annot/Subtype/Link/Rect[0 50 200 100]/A<</S/URI/URI(https://evil.example/)>>>>',
  text('MZ'),
]);

test('a PDF with scripts, a form, links and an embedded file is a picture with its text', async () => {
  const page = await open();
  await review(page, ['pdf', ACTIVE_PDF]);
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const address = page.url();
  await proportionsOf(picture(page, 'License'), 2);
  await page.getByText('Licence of Dr. Who').waitFor();
  for (const position of [
    { x: 50, y: 20 },
    { x: 50, y: 60 },
  ]) {
    await page.getByRole('region', { name: 'License' }).click({ position });
  }
  const figure = page.locator('figure', { has: picture(page, 'License') });
  const active = figure.locator('a, input, iframe, object, embed, script');
  expect(await active.allInnerTexts()).toEqual(['Save license']);
  expect([dialogs, page.url(), page.context().pages().length]).toEqual([[], address, 1]);
});

test('documents are turned as the camera was held and as the reviewer wants, zoomed, and saved', async () => {
  const page = await open();
  await review(page, ['heic', HEIC], ['tif', tiffOf(1, 2, { orientation: 6 })], ['doc', CONTENT.doc]);
  await proportionsOf(picture(page, 'License'), 2);
  await proportionsOf(picture(page, 'Diploma'), 2);
  await page.getByText('Certification cannot be shown. Documents of this type').waitFor();
  await page.getByRole('link', { name: 'Save certification' }).waitFor();
  await page.getByRole('group', { name: 'License' }).getByRole('button', { name: 'Turn right' }).click();
  await proportionsOf(picture(page, 'License'), 0.5);
  const region = page.getByRole('region', { name: 'License' });
  await region.focus();
  await page.keyboard.press('+');
  await eventually(async () =>
    expect(await region.evaluate(({ scrollWidth, clientWidth }) => scrollWidth / clientWidth)).toBeCloseTo(
      1.5,
    ),
  );
  expect(await accessibilityProblems(page)).toEqual([]);

  await review(
    page,

    ['jpg', await turnedJpeg(page)],
    ['webp', CONTENT.webp],
    ['docx', CONTENT.docx],
  );
  await proportionsOf(picture(page, 'License'), 0.5);
  await proportionsOf(picture(page, 'Diploma'), 1);
  await page.getByRole('region', { name: 'Certification, text only' }).getByText('Licence').waitFor();
});

const LARGE = 60_000;
const kids = Array.from({ length: 10_000 }, (_, index) => `${index + 6} 0 R`).join(' ');
const LONG_PDF = pdfOf([
  '<</Type/Catalog/Pages 2 0 R>>',
  `<</Type/Pages/Kids[${kids}]/Count 10000>>`,
  '<<>>',
  ...CONTENTS,
  ...Array.from({ length: 10_000 }, () => `<<${PAGE}>>`),
]);

/** A PNG that says so of its size; each of its lines would be 180 KB. */
function largePng(): Buffer {
  const bytes = Buffer.from(CONTENT.png);
  bytes.writeUInt32BE(LARGE, 16);
  bytes.writeUInt32BE(LARGE, 20);
  return bytes;
}

function largeHeic(): Buffer {
  const size = (width: number, height: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32BE(width);
    bytes.writeUInt32BE(height, 4);
    return bytes;
  };
  const bytes = Buffer.from(HEIC);
  size(LARGE, LARGE).copy(bytes, bytes.indexOf(size(64, 32)));
  return bytes;
}

/** A document of Word that unpacks to 10 GB, and says that it has nine bytes. */
function largeDocx(): Buffer {
  const megabyte = deflateRawSync(Buffer.alloc(1_000_000), { finishFlush: constants.Z_FULL_FLUSH });
  const pieces = Array.from({ length: 10_000 }, () => megabyte);
  return zipOf([['word/document.xml', { deflated: Buffer.concat([...pieces, deflateRawSync('')]) }]]);
}

test('documents that would take all memory are refused with the reason, and the console still works', async () => {
  const next = await aDoctorWith();
  const page = await open();
  await review(page, ['tif', tiffOf(LARGE, LARGE)], ['heic', largeHeic()], ['docx', largeDocx()]);
  await page.getByText('License cannot be shown. It has more than 64 million pixels.').waitFor();
  await page.getByText('Diploma cannot be shown. It has more than 64 million pixels.').waitFor();
  await page.getByText('Certification cannot be shown. It unpacks to more than 64 MB.').waitFor();
  await pick(page, next.name);

  // A directory that leads to itself, and a field of four billion values.
  await review(
    page,
    ['png', largePng()],
    ['tif', tiffOf(2, 1, { next: 8 })],
    ['tif', tiffOf(1, 1, { count: 0xffffffff })],
  );
  await page.getByText('License cannot be shown. It has more than 64 million pixels.').waitFor();
  await proportionsOf(picture(page, 'Diploma'), 2);
  await proportionsOf(picture(page, 'Certification'), 1);
});

test('a page of a TIFF that cannot be shown takes nothing from the others', async () => {
  const good = tiffOf(2, 1, { next: 136 });
  const pages = Buffer.concat([good, tiffOf(LARGE, LARGE).subarray(8)]);
  expect(good).toHaveLength(136);
  const page = await open();
  await review(page, ['tif', pages], ['doc', CONTENT.doc], ['doc', CONTENT.doc]);
  await proportionsOf(picture(page, 'License, page 1 of 2'), 2);
  await page.getByRole('button', { name: 'Next page' }).click();
  await page.getByText('License, page 2 of 2 cannot be shown. It has more than 64 million pixels.').waitFor();
  await page.getByRole('button', { name: 'Previous page' }).click();
  await proportionsOf(picture(page, 'License, page 1 of 2'), 2);
});

test('a PDF of 10,000 pages is read page by page, and a damaged one says so', async () => {
  const page = await open();
  await review(page, ['pdf', LONG_PDF], ['pdf', Buffer.from('%PDF-1.7\n')], ['tif', Buffer.alloc(9)]);
  await picture(page, 'License, page 1 of 10000').waitFor();
  await page.getByText('Diploma cannot be shown. It is damaged').waitFor();
  await page.getByText('Certification cannot be shown. It is damaged').waitFor();
  await page.getByRole('spinbutton', { name: 'Page' }).fill('10000');
  await proportionsOf(picture(page, 'License, page 10000 of 10000'), 2);
  await page.getByRole('region', { name: 'License' }).focus();
  await page.keyboard.press('ArrowLeft');
  await proportionsOf(picture(page, 'License, page 9999 of 10000'), 2);
});

/** Makes all workers of the page fail after its next load: their own file is missing, the program that they load is, or no call arrives. */
function breakWorkers(): void {
  const fault = sessionStorage.getItem('fault');
  const { Worker: Original } = globalThis;
  const { postMessage } = Original.prototype;
  if (fault === 'file') {
    globalThis.Worker = class extends Original {
      constructor(_url: string | URL, options?: WorkerOptions) {
        super('nothing.js', options);
      }
    };
  } else if (fault === 'program') {
    Original.prototype.postMessage = function (
      this: Worker,
      call: { open?: { program: string } },
      transfer: Transferable[],
    ) {
      const changed = call.open?.program && {
        open: { ...call.open, program: new URL('nothing.js', location.href).href },
      };
      return postMessage.call(this, { ...call, ...changed }, { transfer });
    } as typeof postMessage;
  } else if (fault === 'silence') {
    Original.prototype.postMessage = () => {};
  }
}

test('a worker that fails or does not answer is an error message, and the page draws nothing itself', async () => {
  const page = await open();
  await page.addInitScript(breakWorkers);
  const documents = [
    ['pdf', ACTIVE_PDF],
    ['heic', HEIC],
    ['docx', CONTENT.docx],
  ] as const;
  const failing = async (fault: string, names: string[], reason: string, act = async () => {}) => {
    await page.evaluate((value) => sessionStorage.setItem('fault', value), fault);
    await review(page, ...documents);
    await act();
    for (const name of names) {
      await page.getByText(`${name} cannot be shown. ${reason}`).waitFor();
    }
    expect(await page.getByText('cannot be shown').count()).toBe(names.length);
    expect((await browser.takeProblems()).filter((problem) => !problem.includes('nothing.js'))).toEqual([]);
  };
  const all = ['License', 'Diploma', 'Certification'];
  await failing('file', all, 'The program that draws it failed.');
  await failing('program', ['License', 'Diploma'], 'The program that draws it failed.');
  await page.clock.install();
  await failing('silence', all, 'It took longer than 30 seconds.', async () => {
    await eventually(async () => expect(page.workers()).toHaveLength(3));
    await page.clock.fastForward(30_000);
  });
  await eventually(async () => expect(page.workers()).toEqual([]));
  await page.evaluate(() => sessionStorage.removeItem('fault'));
  await review(page, ...documents);
  await proportionsOf(picture(page, 'License'), 2);
});
