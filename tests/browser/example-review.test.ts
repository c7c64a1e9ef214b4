import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { aPdf, CONTENT } from '../support/documents.ts';
import { eventually } from '../support/eventually.ts';
import { send } from '../support/http.ts';
import { aDoctor } from '../support/people.ts';
import { useBrowser } from './support/browser.ts';
import { chooseDocument, descriptionOf, focused, useExample } from './support/example.ts';

const browser = useBrowser();
const example = useExample();

const fileOf = (name: string, bytes: Buffer) => new File([new Uint8Array(bytes)], name);

/** A doctor with a name of their own, who has registered elsewhere: a picture, a PDF and a document of Word. */
async function aRegisteredDoctor() {
  const doctor = aDoctor({ name: `Dr. ${randomUUID()}` });
  const client = example.client();
  const registered = await client.registerDoctor({
    ...doctor,
    licenseFile: fileOf('license.png', CONTENT.png),
    diplomaFile: fileOf('diploma.pdf', CONTENT.pdf),
    certificationFile: fileOf('certification.docx', CONTENT.docx),
  });
  if (!registered.ok) {
    throw new Error(registered.error.message);
  }
  return { ...doctor, id: registered.data.account.id };
}

/** Opens the review desk as a new reviewer. */
async function openAdmin(): Promise<Page> {
  const page = await browser.open(example.view('/login'));
  await example.logIn(page, await example.newReviewer());
  await page.getByRole('heading', { level: 1, name: 'Review desk' }).waitFor();
  return page;
}

/** Opens the account of a doctor in another tab. */
async function openAccount(doctor: { email: string; password: string }): Promise<Page> {
  const page = await browser.open(example.view('/login'));
  await example.logIn(page, doctor);
  return page;
}

const queued = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Doctors' }).getByRole('button', { name });
const shown = (page: Page, name: string) => page.getByRole('heading', { level: 2, name });

/** Selects a doctor of the queue. */
async function pick(page: Page, name: string): Promise<void> {
  await queued(page, name).click();
  await focused(shown(page, name));
}

test('a rejected doctor reads the reason, sends new documents, and is approved with the keyboard', async () => {
  const doctor = await aRegisteredDoctor();
  const account = await openAccount(doctor);
  await account.getByRole('heading', { name: 'Waiting for review' }).waitFor();

  const desk = await openAdmin();
  await pick(desk, doctor.name);
  await eventually(async () =>
    expect(
      await desk
        .getByRole('img', { name: 'License' })
        .evaluate((image: HTMLImageElement) => image.naturalWidth),
    ).toBe(1),
  );
  await desk.locator('iframe[title=Diploma]').waitFor();
  const certification = await desk.getByRole('link', { name: 'Open certification' }).getAttribute('href');
  expect((await send(certification ?? '')).bytes).toEqual(CONTENT.docx);

  await desk.keyboard.press('r');
  const reason = desk.getByRole('dialog', { name: `Reject ${doctor.name}?` }).getByLabel('Reason');
  await focused(reason);
  await desk.getByRole('button', { name: 'Reject', exact: true }).click();
  await desk.getByRole('alert').getByText('One field needs your attention').waitFor();
  expect(await descriptionOf(reason)).toContain('The reason field is required.');
  // The keys of the desk, typed into a field, are text.
  await desk.keyboard.type('just scan it again');
  await desk.getByRole('button', { name: 'Reject', exact: true }).click();
  await desk.getByRole('status').getByText(`${doctor.name} is rejected.`).waitFor();
  expect(await queued(desk, doctor.name).count()).toBe(0);

  await account.reload();
  await account.getByRole('heading', { name: 'Your documents were rejected' }).waitFor();
  await account.getByText('just scan it again', { exact: true }).waitFor();
  for (const name of ['License', 'Diploma', 'Certification']) {
    await chooseDocument(account, name, aPdf(`${name}.pdf`));
  }
  await account.getByRole('button', { name: 'Send the documents again' }).click();
  await account.getByRole('status').getByText('Your new documents have arrived.').waitFor();
  await focused(account.getByRole('heading', { name: 'Waiting for review' }));

  await desk.reload();
  await pick(desk, doctor.name);
  await desk.getByRole('heading', { name: 'New documents' }).waitFor();
  await desk.getByRole('heading', { name: 'Rejected documents' }).waitFor();
  await desk.keyboard.press('a');
  await focused(desk.getByRole('button', { name: 'Approve', exact: true }));
  await desk.keyboard.press('Enter');
  await desk.getByRole('status').getByText(`${doctor.name} is verified.`).waitFor();

  await account.reload();
  await account.getByRole('heading', { name: 'You are verified' }).waitFor();
});

test('a decision on a doctor whom another reviewer was faster with changes nothing', async () => {
  const [first, second] = [await aRegisteredDoctor(), await aRegisteredDoctor()];
  const desk = await openAdmin();
  await pick(desk, first.name);
  await desk.keyboard.press('s');
  await desk.getByLabel('Reason').fill('Too late.');

  const other = example.client();
  await other.login(await example.newReviewer());
  expect((await other.reviews.decide({ id: first.id, revision: 0, decision: 'APPROVE' })).ok).toBe(true);
  await desk.getByRole('button', { name: 'Suspend', exact: true }).click();

  await desk.getByRole('status').getByText(`${first.name} is no longer waiting`).waitFor();
  expect(await desk.getByRole('dialog').count()).toBe(0);
  await queued(desk, second.name).waitFor();
  expect(await queued(desk, first.name).count()).toBe(0);
  await desk.getByLabel('Status').selectOption('Verified');
  await pick(desk, first.name);
});

test('a verified doctor proposes a correction, which a reviewer sees beside the reviewed values', async () => {
  const doctor = await aRegisteredDoctor();
  const reviewer = example.client();
  await reviewer.login(await example.newReviewer());
  const verified = { id: doctor.id, revision: 0, decision: 'APPROVE' } as const;
  expect((await reviewer.reviews.decide(verified)).ok).toBe(true);
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

  const desk = await openAdmin();
  const openProposal = async () => {
    await desk.getByLabel('Status').selectOption('Waiting with a correction');
    await pick(desk, doctor.name);
    await desk.getByRole('row', { name: `Full name ${doctor.name} ${name}` }).waitFor();
  };
  await openProposal();
  await desk.keyboard.press('r');
  const dialog = desk.getByRole('dialog', { name: `Reject the correction of ${doctor.name}?` });
  await dialog.getByLabel('Reason').fill('The register has another name.');
  await dialog.getByRole('button', { name: 'Reject' }).click();
  await desk.getByRole('status').getByText(`${doctor.name} is still verified, and not corrected.`).waitFor();
  await account.reload();
  await account.getByText('The register has another name.', { exact: true }).waitFor();
  expect(await account.getByRole('row').count()).toBe(0);

  await propose();
  await license.fill(doctor.licenseNumber);
  await account.getByRole('button', { name: 'Save' }).click();
  await eventually(async () => expect(await account.getByRole('row').count()).toBe(2));
  await desk.reload();
  await openProposal();
  await desk.keyboard.press('a');
  await desk.getByRole('dialog', { name: 'Approve the correction' }).waitFor();
  await desk.keyboard.press('Enter');
  await desk.getByRole('status').getByText(`${doctor.name} is corrected.`).waitFor();
  await account.reload();
  await account.getByRole('heading', { name: 'You are verified' }).waitFor();
  await shown(account, name).waitFor();
  await account.getByText(doctor.licenseNumber, { exact: true }).waitFor();
  expect(await account.getByRole('row').count()).toBe(0);
});

test('keys go through the queue, and can be switched off', async () => {
  const [first, second] = [await aRegisteredDoctor(), await aRegisteredDoctor()];
  const desk = await openAdmin();
  await pick(desk, first.name);
  await desk.keyboard.press('j');
  await focused(shown(desk, second.name));
  await desk.keyboard.press('k');
  await focused(shown(desk, first.name));

  await desk.keyboard.press('?');
  const help = desk.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await help.getByLabel('Use these keys').uncheck();
  await desk.keyboard.press('Escape');
  await focused(shown(desk, first.name));
  await desk.keyboard.press('j');
  await desk.keyboard.press('a');
  expect(await help.or(desk.getByRole('dialog')).count()).toBe(0);
  expect(await shown(desk, first.name).count()).toBe(1);
});

test('a long queue is read in pages', async () => {
  const names: string[] = [];
  for (let doctors = 0; doctors <= 20; doctors += 1) {
    names.push((await aRegisteredDoctor()).name);
  }
  const newest = names.at(-1) ?? '';
  const desk = await openAdmin();
  await queued(desk, 'Dr.').nth(19).waitFor();
  expect(await queued(desk, newest).count()).toBe(0);
  await desk.getByRole('button', { name: 'Show more' }).click();

  await pick(desk, newest);
  expect(await desk.getByRole('button', { name: 'Show more' }).isHidden()).toBe(true);
});
