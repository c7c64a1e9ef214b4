import type { Page } from 'playwright-core';
import { aPdf, aPdfOf, CONTENT, type TestDocument } from '../support/documents.ts';
import { eventually } from '../support/eventually.ts';
import { send } from '../support/http.ts';
import { aDoctor, aPatient, OPTIONAL_PROFILE } from '../support/people.ts';
import { useBrowser } from './support/browser.ts';
import { focused } from './support/pages.ts';
import {
  chooseDocument,
  descriptionOf,
  documentInput,
  expectWayBack,
  usePeoplePages,
} from './support/people-pages.ts';

const browser = useBrowser();
const pages = usePeoplePages();

const DOCUMENTS = ['License', 'Diploma', 'Certification'] as const;

/** Writes all that is asked of a doctor but the documents. */
async function fillIn(page: Page, doctor: ReturnType<typeof aDoctor>): Promise<void> {
  await page.getByLabel('Full name').fill(doctor.name);
  await page.getByLabel('E-mail').fill(doctor.email);
  await page.getByLabel('Password').fill(doctor.password);
  await page.getByLabel('Telephone').fill(doctor.phone);
  await page.getByLabel('Specialization').fill(doctor.specialization);
  await page.getByLabel('License number').fill(doctor.licenseNumber);
}

/** Writes and chooses all that is asked of a doctor. */
async function fillInWithDocuments(page: Page, doctor = aDoctor()): Promise<void> {
  await fillIn(page, doctor);
  await chooseDocument(page, 'License', doctor.licenseFile);
  await chooseDocument(page, 'Diploma', doctor.diplomaFile);
  await chooseDocument(page, 'Certification', doctor.certificationFile);
}

const register = (page: Page) => page.getByRole('button', { name: 'Register' }).click();

/** Chooses a file in the browser's dialog, which something has opened. */
async function choose(page: Page, { name, bytes }: TestDocument, open: () => Promise<void>): Promise<void> {
  const dialog = page.waitForEvent('filechooser');
  await open();
  await (await dialog).setFiles({ name, mimeType: name.endsWith('.png') ? 'image/png' : '', buffer: bytes });
}

/** Drops a file where its owner would: on what is to be seen of the field. */
async function drop(page: Page, name: string, { name: fileName, bytes }: TestDocument): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    ({ fileName, numbers }) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(numbers)], fileName));
      return transfer;
    },
    { fileName, numbers: [...bytes] },
  );
  const zone = page.locator('.document', { hasText: name }).locator('.drop-zone');
  await zone.dispatchEvent('dragover', { dataTransfer });
  await zone.dispatchEvent('drop', { dataTransfer });
}

/**
 * Makes uploads so slow that one is still on its way when the test has done its part, however long that takes.
 * @returns what makes them fast again, those on their way too
 */
async function slowDown(page: Page): Promise<() => Promise<unknown>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const limit = (uploadThroughput: number) =>
    session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    });
  await limit(50_000);
  return () => limit(-1);
}

test('a doctor registers with documents chosen by mouse, by keyboard and by drop', async () => {
  const photo = { name: 'license.png', bytes: CONTENT.png };
  const doctor = aDoctor({ licenseFile: photo, ...OPTIONAL_PROFILE });
  const page = await browser.open(pages.view('/register/doctor'));
  await fillIn(page, doctor);
  await page.getByLabel('Publications').fill(doctor.publications);
  await choose(page, photo, () =>
    page.locator('.document', { hasText: 'License' }).locator('.drop-zone').click(),
  );
  await choose(page, doctor.diplomaFile, () => documentInput(page, 'Diploma').press('Enter'));
  await drop(page, 'Certification', doctor.certificationFile);

  const thumbnail = page.locator('.document', { hasText: 'license.png' }).locator('img');
  await eventually(async () =>
    expect(await thumbnail.evaluate((picture: HTMLImageElement) => picture.naturalWidth)).toBe(1),
  );
  await page
    .locator('.document', { hasText: 'certification.pdf' })
    .getByText('PDF', { exact: true })
    .waitFor();
  await register(page);

  await page.getByText(`Welcome, ${doctor.name}. Your documents have arrived.`).waitFor();
  await page.getByRole('definition').getByText(doctor.publications).waitFor();
  const links = DOCUMENTS.map((name) => page.getByRole('link', { name, exact: true }));
  const addresses = await Promise.all(links.map(async (link) => (await link.getAttribute('href')) ?? ''));
  const stored = await Promise.all(addresses.map((address) => send(address)));
  expect(stored.map(({ bytes }) => bytes)).toEqual(
    [photo, doctor.diplomaFile, doctor.certificationFile].map(({ bytes }) => bytes),
  );
});

test('errors of the gateway appear beside their fields and disappear on editing', async () => {
  const taken = aPatient();
  await pages.client().registerPatient(taken);
  const page = await browser.open(pages.view('/register/doctor'));
  const doctor = aDoctor({ email: taken.email, password: 'short' });
  await fillInWithDocuments(page, { ...doctor, diplomaFile: { name: 'diploma.pdf', bytes: CONTENT.exe } });
  await register(page);

  const summary = page.getByRole('alert');
  await summary.getByText('2 fields need your attention').waitFor();
  const password = page.getByLabel('Password');
  const diploma = documentInput(page, 'Diploma');
  await focused(password);
  expect(await descriptionOf(password)).toContain('Please use at least 8 characters.');
  expect(await descriptionOf(diploma)).toContain('Please choose a file of one of these types');
  expect(await password.getAttribute('aria-invalid')).toBe('true');
  expect(await page.getByLabel('E-mail').getAttribute('aria-invalid')).toBe('false');
  await summary.getByRole('link', { name: 'Diploma' }).click();
  await focused(diploma);

  await password.fill(aPatient().password);
  await chooseDocument(page, 'Diploma', doctor.diplomaFile);
  expect(await password.getAttribute('aria-invalid')).toBe('false');
  expect(await descriptionOf(diploma)).not.toContain('Please choose');
  await register(page);

  await summary.getByText('One field needs your attention').waitFor();
  await focused(page.getByLabel('E-mail'));
  expect(await descriptionOf(page.getByLabel('E-mail'))).toContain(
    'Somebody has an account with this e-mail address already.',
  );
});

test('a removed document counts as missing', async () => {
  const page = await browser.open(pages.view('/register/doctor'));
  await fillInWithDocuments(page);
  await page.getByRole('button', { name: 'Remove the diploma' }).click();
  await focused(documentInput(page, 'Diploma'));
  await register(page);

  await page.getByRole('alert').getByText('Diploma: Please fill this in.').waitFor();
  await focused(documentInput(page, 'Diploma'));
});

test('a document dropped beside its field does not replace the page', async () => {
  const page = await browser.open(pages.view('/register/doctor'));
  const isPrevented = await page.evaluate(() => {
    const event = new DragEvent('drop', { bubbles: true, cancelable: true });
    return !document.body.dispatchEvent(event);
  });

  expect(isPrevented).toBe(true);
});

test('an upload shows its progress', async () => {
  const page = await browser.open(pages.view('/register/doctor'));
  await fillInWithDocuments(page, aDoctor({ licenseFile: aPdfOf(1_500_000, 'license.pdf') }));
  const speedUp = await slowDown(page);
  await register(page);

  await page.getByText(/^[1-9]\d? % of 1\.4 MB$/).waitFor();
  await page.getByRole('status').getByText('The documents are being sent.').waitFor();
  const value = await page
    .getByRole('progressbar', { name: 'Upload' })
    .evaluate((bar: HTMLProgressElement) => bar.value);
  expect(value).toBeGreaterThan(0);
  expect(value).toBeLessThanOrEqual(1);
  await speedUp();
  await page.getByText('Your documents have arrived.').waitFor();
});

test('a cancelled upload registers nobody and can be repeated', async () => {
  const page = await browser.open(pages.view('/register/doctor'));
  const doctor = aDoctor({ licenseFile: aPdfOf(3_000_000, 'license.pdf') });
  await fillInWithDocuments(page, doctor);
  const speedUp = await slowDown(page);
  const progress = page.getByRole('progressbar');
  expect(await progress.isVisible()).toBe(false);
  await register(page);
  await progress.waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('alert').getByText('You have cancelled.').waitFor();
  expect(await progress.isVisible()).toBe(false);
  await focused(page.getByRole('button', { name: 'Register' }));
  expect(await browser.takeProblems()).toEqual([expect.stringMatching(/^failed: POST .*ERR_ABORTED$/)]);
  const login = await pages.client().login(doctor);
  expect(login).toMatchObject({ ok: false, error: { code: 'INVALID_CREDENTIALS' } });
  await speedUp();
  await chooseDocument(page, 'License', aPdf('license.pdf'));
  await register(page);
  await page.getByText('Your documents have arrived.').waitFor();
});

test('leaving the form cancels the upload', async () => {
  const page = await browser.open(pages.view('/register/doctor'));
  await fillInWithDocuments(page, aDoctor({ licenseFile: aPdfOf(3_000_000, 'license.pdf') }));
  await slowDown(page);
  await register(page);
  await page.getByRole('progressbar').waitFor();
  await page.getByRole('link', { name: 'Log in' }).click();

  await focused(page.getByRole('heading', { level: 1, name: 'Log in' }));
  await eventually(async () =>
    expect(await browser.takeProblems()).toEqual([expect.stringMatching(/^failed: POST .*ERR_ABORTED$/)]),
  );
});

test('a patient sees what is missing and registers', async () => {
  const patient = aPatient();
  const page = await browser.open(pages.view('/register/patient'));
  await register(page);
  await page.getByRole('alert').getByText('3 fields need your attention').waitFor();
  await focused(page.getByLabel('Full name'));
  expect(await descriptionOf(page.getByLabel('E-mail'))).toContain('Please fill this in.');

  await page.getByLabel('Full name').fill(patient.name);
  await page.getByLabel('E-mail').fill(patient.email);
  await page.getByLabel('Password').fill(patient.password);
  await register(page);

  await page.getByText(`Welcome, ${patient.name}. Your account is ready.`).waitFor();
  await page.getByRole('definition').getByText(patient.email).waitFor();
  await expectWayBack(page);
});
