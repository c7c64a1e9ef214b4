import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import type { DoctorDocument } from '../../packages/client/src/index.ts';
import { aPdf, CONTENT } from '../support/documents.ts';
import { eventually } from '../support/eventually.ts';
import { aDoctor } from '../support/people.ts';
import { useBrowser } from './support/browser.ts';
import { focused } from './support/pages.ts';
import { chooseDocument, descriptionOf, documentInput, usePeoplePages } from './support/people-pages.ts';

const browser = useBrowser();
const pages = usePeoplePages();

const fileOf = (name: string) => new File([new Uint8Array(CONTENT.pdf)], name);

/** A doctor who has registered elsewhere. */
async function aRegisteredDoctor() {
  const doctor = aDoctor({ name: `Dr. ${randomUUID()}` });
  const registered = await pages.client().registerDoctor({
    ...doctor,
    licenseFile: fileOf('license.pdf'),
    diplomaFile: fileOf('diploma.pdf'),
    certificationFile: fileOf('certification.pdf'),
  });
  if (!registered.ok) {
    throw new Error(registered.error.message);
  }
  return { ...doctor, id: registered.data.account.id };
}

/** Decides on a doctor as a new reviewer. */
async function decide(
  id: string,
  revision: number,
  decision: 'APPROVE' | 'REJECT',
  reason: string | null = null,
  documents: DoctorDocument[] = [],
) {
  const reviewer = pages.client();
  await reviewer.login(await pages.newReviewer());
  expect((await reviewer.reviews.decide({ id, revision, decision, reason, documents })).ok).toBe(true);
}

/** Opens the account of a doctor. */
async function openAccount(doctor: { email: string; password: string }): Promise<Page> {
  const page = await browser.open(pages.view('/login'));
  await pages.logIn(page, doctor);
  return page;
}

test('a rejected doctor reads the grounds in the language of the page', async () => {
  const doctor = await aRegisteredDoctor();
  const reviewer = pages.client();
  await reviewer.login(await pages.newReviewer());
  const review = { id: doctor.id, revision: 0, decision: 'REJECT', reason: 'Scan again.' } as const;
  const decided = await reviewer.reviews.decide({ ...review, grounds: ['NAME_DIFFERS', 'UNREADABLE'] });
  expect(decided.ok).toBe(true);

  const account = await openAccount(doctor);
  const grounds = account.locator('.banner.rejected li');
  await grounds.first().waitFor();
  expect(await grounds.allTextContents()).toEqual([
    'A document cannot be read.',
    'Your name is not that of the documents.',
  ]);
  await account.getByRole('button', { name: 'Deutsch' }).click();
  await account.getByText('Ein Dokument ist nicht lesbar.').waitFor();
});

test('a rejected doctor reads the reason, sends new documents, and is verified', async () => {
  const doctor = await aRegisteredDoctor();
  const account = await openAccount(doctor);
  await account.getByRole('heading', { name: 'Waiting for review' }).waitFor();

  await decide(doctor.id, 0, 'REJECT', 'just scan it again');
  await account.reload();
  await account.getByRole('heading', { name: 'Your documents were rejected' }).waitFor();
  await account.getByText('just scan it again', { exact: true }).waitFor();
  for (const name of ['License', 'Diploma', 'Certification']) {
    await chooseDocument(account, name, aPdf(`${name}.pdf`));
  }
  await account.getByRole('button', { name: 'Send the documents again' }).click();
  await account.getByRole('status').getByText('Your new documents have arrived.').waitFor();
  await focused(account.getByRole('heading', { name: 'Waiting for review' }));

  await decide(doctor.id, 2, 'APPROVE');
  await account.reload();
  await account.getByRole('heading', { name: 'You are verified' }).waitFor();
});

test('a doctor is asked for one document, and a file that the gateway would refuse is not sent', async () => {
  const doctor = await aRegisteredDoctor();
  await decide(doctor.id, 0, 'REJECT', 'cut off', ['DIPLOMA']);
  const account = await openAccount(doctor);
  await account.getByRole('heading', { name: 'Your documents were rejected' }).waitFor();
  const diploma = documentInput(account, 'Diploma');
  expect(await documentInput(account, 'License').count()).toBe(0);

  const uploads: string[] = [];
  account.on('request', (request) => request.method() === 'POST' && uploads.push(request.url()));
  const send = account.getByRole('button', { name: 'Send the documents again' });
  for (const file of [
    { name: 'diploma.exe', bytes: CONTENT.exe },
    { name: 'diploma.pdf', bytes: Buffer.alloc(0) },
    { name: 'diploma.pdf', bytes: Buffer.alloc(10_485_761) },
  ]) {
    await chooseDocument(account, 'Diploma', file);
    await eventually(async () => expect(await descriptionOf(diploma)).toMatch(/Please choose|too large/));
    await send.click();
    await account.getByRole('alert').getByText('Diploma:').waitFor();
  }
  expect(uploads).toEqual([]);

  await chooseDocument(account, 'Diploma', aPdf('diploma.pdf'));
  await send.click();
  await account.getByRole('status').getByText('Your new documents have arrived.').waitFor();
  await account.getByRole('heading', { name: 'Waiting for review' }).waitFor();
});

test('a verified doctor proposes a correction, which waits for a reviewer', async () => {
  const doctor = await aRegisteredDoctor();
  await decide(doctor.id, 0, 'APPROVE');
  const account = await openAccount(doctor);
  const name = `Dr. ${randomUUID()}`;
  const license = account.getByLabel('License number');
  const propose = async () => {
    await account.getByLabel('Full name').fill(name);
    await account.getByLabel('Current institution').fill('A clinic');
    await license.fill('MD-2');
    await account.getByRole('button', { name: 'Save' }).click();
    await account.getByRole('status').getByText('A part of it waits for a reviewer.').waitFor();
    const rows = account.getByRole('row');
    await rows.nth(2).waitFor();
    expect(await rows.allInnerTexts()).toEqual([
      'Field\tCurrent\tProposed',
      `Full name\t${doctor.name}\t${name}`,
      `License number\t${doctor.licenseNumber}\tMD-2`,
    ]);
  };
  await propose();
  await account.getByText('A clinic', { exact: true }).first().waitFor();

  await decide(doctor.id, 2, 'REJECT', 'The register has another name.');
  await account.reload();
  await account.getByText('The register has another name.', { exact: true }).waitFor();
  expect(await account.getByRole('row').count()).toBe(0);

  await propose();
  await license.fill(doctor.licenseNumber);
  await account.getByRole('button', { name: 'Save' }).click();
  await eventually(async () => expect(await account.getByRole('row').count()).toBe(2));
  await decide(doctor.id, 5, 'APPROVE');
  await account.reload();
  await account.getByRole('heading', { name: 'You are verified' }).waitFor();
  await account.getByRole('heading', { level: 2, name }).waitFor();
  await account.getByText(doctor.licenseNumber, { exact: true }).waitFor();
  expect(await account.getByRole('row').count()).toBe(0);
});
