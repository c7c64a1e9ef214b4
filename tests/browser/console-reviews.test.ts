import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { aPdf, CONTENT, type TestDocument } from '../support/documents.ts';
import { emailLinkSettings } from '../support/email-links.ts';
import { eventually } from '../support/eventually.ts';
import { succeeded } from '../support/expectations.ts';
import { newStaffReviewer, OPERATOR_API, type Staff } from '../support/operators.ts';
import { restApi } from '../support/rest-api.ts';
import { decide, resubmit } from '../support/reviews.ts';
import { accountOf } from '../support/session.ts';
import { useSmtpServer } from '../support/smtp-server.ts';
import { createTestApp, REAL_TIME, useTestApp } from '../support/test-app.ts';
import { useBrowser } from './support/browser.ts';
import { accessibilityProblems, expectAccessible, focused } from './support/pages.ts';
import { aRegisteredDoctor, fact, openReviews, pick, queued, shown } from './support/reviews.ts';

const browser = useBrowser();
const app = useTestApp(OPERATOR_API, undefined, ...REAL_TIME);
let reviewer: Staff;
beforeAll(async () => {
  reviewer = await newStaffReviewer(app);
});
beforeEach(async () => {
  await app.database.profiles.deleteMany({});
});

const documentOf = (name: string, bytes: Buffer): TestDocument => ({ name, bytes });

/** A picture, a PDF and a document of Word. */
const DOCUMENTS = {
  licenseFile: documentOf('license.png', CONTENT.png),
  diplomaFile: documentOf('diploma.pdf', CONTENT.pdf),
  certificationFile: documentOf('certification.docx', CONTENT.docx),
};
const aDoctorInReview = () => aRegisteredDoctor(app, DOCUMENTS);
const open = (options?: Parameters<typeof browser.open>[1]) => openReviews(browser, app, reviewer, options);

/** Presses a key of the page, and waits until it has acted. */
async function press(page: Page, key: string, outcome: Locator): Promise<void> {
  await page.keyboard.press(key);
  await outcome.waitFor();
}

async function openDialog(page: Page, key: string, name: string): Promise<Locator> {
  const dialog = page.getByRole('dialog', { name });
  await press(page, key, dialog);
  return dialog;
}

async function step(page: Page, key: string, name: string): Promise<void> {
  await press(page, key, shown(page, name));
  await focused(shown(page, name));
}

const statusOf = async (token: string) => (await accountOf(app.url, token))?.profile?.verification.status;

test('a doctor is rejected with a reason, sends new documents, and is approved with the keyboard', async () => {
  const doctor = await aDoctorInReview();
  const page = await open();
  await pick(page, doctor.name);
  await page.getByRole('img', { name: 'Diploma' }).waitFor();
  await page.getByText('Licence', { exact: true }).waitFor();
  const saved = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Save certification' }).click();
  expect((await saved).suggestedFilename()).toBe('certification.docx');
  expect(await readFile(await (await saved).path())).toEqual(CONTENT.docx);

  const dialog = await openDialog(page, 'r', `Reject ${doctor.name}?`);
  await dialog.getByRole('button', { name: 'Reject', exact: true }).click();
  await dialog.getByText('The reason field is required.').first().waitFor();
  // The keys of the page, typed into a field, are text.
  await dialog.getByLabel('Reason').pressSequentially('just scan it again');
  await dialog.getByRole('button', { name: 'Reject', exact: true }).click();
  await page.getByText(`${doctor.name} is rejected.`).waitFor();
  expect(await queued(page, doctor.name).count()).toBe(0);

  await resubmit(app, doctor.token, {
    licenseFile: aPdf('license.pdf'),
    diplomaFile: aPdf('diploma.pdf'),
    certificationFile: aPdf('certification.pdf'),
  });
  await page.reload();
  await page.getByRole('heading', { name: 'New documents' }).waitFor();
  await page.getByRole('heading', { name: 'Rejected documents' }).waitFor();
  await pick(page, doctor.name);
  // The keys of the page also act while a document has the focus.
  await page.getByRole('region', { name: 'License' }).first().click();
  const consent = await openDialog(page, 'a', `Approve ${doctor.name}?`);
  await consent.getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByText(`${doctor.name} is verified.`).waitFor();
  expect(await statusOf(doctor.token)).toBe('VERIFIED');
});

test('a doctor who must send one document again sends that one, and the others stay', async () => {
  const doctor = await aDoctorInReview();
  const page = await open();
  await pick(page, doctor.name);
  const dialog = await openDialog(page, 'r', `Reject ${doctor.name}?`);
  await dialog.getByLabel('Reason').fill('cut off');
  await dialog.getByRole('checkbox', { name: 'Diploma' }).check();
  await dialog.getByRole('button', { name: 'Reject', exact: true }).click();
  await page.getByText(`${doctor.name} is rejected.`).waitFor();
  expect((await accountOf(app.url, doctor.token))?.profile?.verification.documents).toEqual(['DIPLOMA']);

  await resubmit(app, doctor.token, { diplomaFile: documentOf('diploma.png', CONTENT.png) });
  await page.reload();
  await pick(page, doctor.name);
  const added = page.locator('section.documents', {
    has: page.getByRole('heading', { name: 'New documents' }),
  });
  await added.getByRole('img', { name: 'Diploma' }).waitFor();
  expect(await added.getByText('It stays as it was.').count()).toBe(2);
});

test('a decision on a doctor whom another reviewer was faster with changes nothing', async () => {
  const [first, second] = [await aDoctorInReview(), await aDoctorInReview()];
  const page = await open();
  await pick(page, first.name);
  const dialog = await openDialog(page, 'r', `Reject ${first.name}?`);
  await dialog.getByLabel('Reason').fill('Too late.');
  await decide(app, reviewer.token, { id: first.id, revision: 0, decision: 'APPROVE' });
  await dialog.getByRole('button', { name: 'Reject', exact: true }).click();
  await page.getByText(`${first.name} is no longer there`).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  await queued(page, second.name).waitFor();
  await page.getByLabel('Status').selectOption('Verified');
  await pick(page, first.name);
});

test('a reviewer sees a proposed correction beside the present values, and decides on it', async () => {
  const doctor = await aDoctorInReview();
  await decide(app, reviewer.token, { id: doctor.id, revision: 0, decision: 'APPROVE' });
  const name = `Dr. ${randomUUID()}`;
  const correction = { name, licenseNumber: 'MD-2' };
  succeeded(await restApi(app.url).updateMyProfile(correction, `Bearer ${doctor.token}`));
  const stored = await app.database.profiles.findOne({ _id: doctor.id });
  const sent = new Date(Date.now() - 86_400_000);
  await app.database.profiles.updateOne({ _id: doctor.id }, { $set: { 'verification.submittedAt': sent } });
  const page = await open();
  await page.getByLabel('Status').selectOption('Waiting with a correction or renewal');
  await pick(page, doctor.name);
  const timeOf = (name: string) => fact(page, name).locator('time').getAttribute('datetime');
  expect(await timeOf('Documents sent')).toBe(sent.toISOString());
  expect(await timeOf('Correction sent')).toBe(stored?.proposal?.submittedAt.toISOString());
  expect(
    await page.getByRole('table', { name: 'Proposed correction' }).getByRole('row').allInnerTexts(),
  ).toEqual([
    'Field\tCurrent\tProposed',
    `Full name\t${doctor.name}\t${name}`,
    `License number\t${doctor.licenseNumber}\tMD-2`,
  ]);
  const dialog = await openDialog(page, 'a', 'Approve the correction');
  await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByText(`${doctor.name} is corrected.`).waitFor();
  expect(await accountOf(app.url, doctor.token)).toMatchObject({ name });
});

test('a reviewer gives a verification a last day, changes it, and renews it by new documents', async () => {
  const doctor = await aDoctorInReview();
  const until = async () => (await accountOf(app.url, doctor.token))?.profile?.verification.until;
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const endOf = (days: number) => new Date(Date.parse(day(days)) + 86_400_000).toISOString();
  const page = await open();
  await pick(page, doctor.name);
  const approval = await openDialog(page, 'a', `Approve ${doctor.name}?`);
  await approval.getByLabel('Verified until').fill(day(30));
  await approval.getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByText(`${doctor.name} is verified.`).waitFor();
  expect(await until()).toBe(endOf(30));

  await page.getByLabel('Status').selectOption('Ends within 60 days');
  await pick(page, doctor.name);
  const change = await openDialog(page, 'e', `Change the end of the verification of ${doctor.name}?`);
  await change.getByLabel('Verified until').fill(day(-2));
  await change.getByRole('button', { name: 'Change the end' }).click();
  await change.getByText('The until field must be a day from today on').first().waitFor();
  await change.getByLabel('Verified until').fill(day(40));
  await change.getByRole('button', { name: 'Change the end' }).click();
  await page.getByText(`${doctor.name} has another end of the verification.`).waitFor();
  expect(await until()).toBe(endOf(40));

  await resubmit(app, doctor.token, { diplomaFile: documentOf('diploma.png', CONTENT.png) });
  await page.getByLabel('Status').selectOption('Waiting with a correction or renewal');
  await pick(page, doctor.name);
  await page.getByRole('heading', { name: 'New documents' }).waitFor();
  await page.getByRole('heading', { name: 'Current documents' }).waitFor();
  expect(await page.getByRole('table', { name: 'Proposed correction' }).count()).toBe(0);
  const renewal = await openDialog(page, 'a', `Approve the renewal of ${doctor.name}?`);
  await renewal.getByLabel('Verified until').fill(day(400));
  await renewal.getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByText(`${doctor.name} is verified again.`).waitFor();
  expect(await until()).toBe(endOf(400));
});

test('texts of several lines are read as written, and all else that is hidden is marked', async () => {
  const doctor = await aDoctorInReview();
  const hidden = [
    '\u2028',
    '\u2029',
    '\u202e',
    '\u2066',
    '\u200b',
    '\u00ad',
    '\u0007',
    '\u000b',
    '\u0085',
    '\r',
  ];
  const codes = hidden.map((it) => `U+${it.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`);
  const text = `2019\tA clinic\r\n2021\tAnother\n\nEnd${hidden.join('-')}.`;
  const long = { workHistory: text, publications: text, practiceAddress: text };
  const now = new Date();
  const verification = { status: 'pending', decidedAt: now, reason: text, submittedAt: now } as const;
  const short = { currentInstitution: `A\nB\tC\r\nD${hidden.join('-')}` };
  await app.database.profiles.updateOne({ _id: doctor.id }, { $set: { ...long, ...short, verification } });
  const page = await open();
  await pick(page, doctor.name);
  const width = (element: Locator) => element.evaluate((it) => it.getBoundingClientRect().width);
  const column = await width(page.locator('.facts'));
  for (const name of ['Work history', 'Publications', 'Practice address', 'Reason']) {
    const value = fact(page, name);
    expect((await value.innerText()).replace('\r', '')).toBe(
      `2019\tA clinic\n2021\tAnother\n\nEnd${codes.join('-')}.`,
    );
    expect(await value.locator('mark').allInnerTexts()).toEqual(codes);
    expect(await width(value)).toBeCloseTo(column, 0);
  }
  const marks = await fact(page, 'Current institution').locator('mark').allInnerTexts();
  expect(marks).toEqual(['U+000A', 'U+0009', 'U+000D', 'U+000A', ...codes]);
});

test('a reviewer sees who has the same license number or document, and opens that doctor', async () => {
  const licenseNumber = `DE-${randomUUID()}`;
  const doctor = await aRegisteredDoctor(app, { ...DOCUMENTS, licenseNumber });
  const other = await aRegisteredDoctor(app, { ...DOCUMENTS, licenseNumber: `de ${licenseNumber.slice(3)}` });
  const disabled = await aRegisteredDoctor(app, { licenseNumber });
  await app.database.accounts.updateOne({ _id: disabled.id }, { $set: { disabledAt: new Date() } });
  await aRegisteredDoctor(app, { licenseNumber: `DE-${randomUUID()}` });
  const page = await open();
  await pick(page, doctor.name);
  const lineOf = ({ name }: { name: string }) => page.locator('p.problem', { hasText: name });
  await lineOf(other).waitFor();
  expect(await page.locator('p.problem').count()).toBe(2);
  expect((await lineOf(other).innerText()).replaceAll('\n', ' ')).toBe(
    `${other.name} has the same license number. has sent the same document. Waiting`,
  );
  expect(await lineOf(disabled).innerText()).toMatch(
    / has the same license number\. Waiting, account disabled$/,
  );
  expect(await accessibilityProblems(page)).toEqual([]);

  await lineOf(other).getByRole('button').click();
  await focused(shown(page, other.name));
  await lineOf(disabled).getByRole('button').click();
  await focused(shown(page, disabled.name));
  await page.getByText('Waiting, account disabled', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Approve…' }).count()).toBe(0);
  const readings = { act: 'reading', byAccountId: reviewer.id, accountId: { $in: [other.id, disabled.id] } };
  await eventually(async () =>
    expect(await app.database.db.collection('audit_events').countDocuments(readings)).toBeGreaterThan(1),
  );
});

test('another doctor who cannot be read is a message, and the review stays', async () => {
  const licenseNumber = `DE-${randomUUID()}`;
  const [doctor, other] = [
    await aRegisteredDoctor(app, { licenseNumber }),
    await aRegisteredDoctor(app, { licenseNumber }),
  ];
  const page = await open();
  await pick(page, doctor.name);
  await app.database.profiles.deleteOne({ _id: other.id });
  await page.locator('p.problem').getByRole('button').click();
  await page.getByRole('alert').getByText('No doctor has this id.').waitFor();
  await shown(page, doctor.name).waitFor();
});

describe('whether the doctor gets the reason by mail', () => {
  const smtp = useSmtpServer();

  test('is said for this doctor, before the decision', async () => {
    const withMails = await createTestApp(
      { ...OPERATOR_API, ...emailLinkSettings(smtp.url) },
      undefined,
      ...REAL_TIME,
    );
    try {
      const [proven, unproven] = [
        await aRegisteredDoctor(withMails, {}),
        await aRegisteredDoctor(withMails, {}),
      ];
      const { emailKey } = (await withMails.database.accounts.findOne({ _id: proven.id })) ?? {};
      const emailProof = { emailKey, at: new Date() } as never;
      await withMails.database.accounts.updateOne({ _id: proven.id }, { $set: { emailProof } });
      const page = await openReviews(browser, withMails, await newStaffReviewer(withMails));
      for (const [{ name }, text] of [
        [proven, 'The doctor gets a mail with your reason.'],
        [unproven, 'Your reason is in no mail: the doctor reads it after a login.'],
      ] as const) {
        await pick(page, name);
        const dialog = await openDialog(page, 's', `Suspend ${name}?`);
        await dialog.getByText(`Only a reviewer can lift a suspension. ${text}`).waitFor();
        await dialog.getByRole('button', { name: 'Cancel' }).click();
      }
    } finally {
      await withMails.stop();
    }
  });
});

test('keys go through the queue, and can be switched off', async () => {
  const [first, second] = [await aDoctorInReview(), await aDoctorInReview()];
  const page = await open();
  await pick(page, first.name);
  await step(page, 'j', second.name);
  await step(page, 'k', first.name);
  await page.getByLabel('Keys:').uncheck();
  await shown(page, first.name).focus();
  await page.keyboard.press('j');
  await page.keyboard.press('a');
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await shown(page, first.name).count()).toBe(1);
});

test('a long queue is read in pages, and the page is accessible and fits a narrow screen', async () => {
  const names: string[] = [];
  for (let doctors = 0; doctors <= 20; doctors += 1) {
    names.push((await aDoctorInReview()).name);
  }
  const newest = names.at(-1) ?? '';
  const page = await open({ viewport: { width: 390, height: 844 } });
  await queued(page, 'Dr.').nth(19).waitFor();
  expect(await queued(page, newest).count()).toBe(0);
  await page.getByRole('button', { name: 'Show more' }).click();
  await pick(page, newest);
  expect(await page.getByRole('button', { name: 'Show more' }).isHidden()).toBe(true);
  await expectAccessible(page);
});
