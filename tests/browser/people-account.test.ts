import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { freshEmail, freshPassword } from '../support/people.ts';
import { useSmtpServer } from '../support/smtp-server.ts';
import { useBrowser } from './support/browser.ts';
import { focused } from './support/pages.ts';
import { descriptionOf, expectWayBack, usePeoplePages } from './support/people-pages.ts';

const browser = useBrowser();
const mails = useSmtpServer();
const pages = usePeoplePages(() => ({
  SMTP_URL: mails.url,
  MAIL_FROM: 'Example practice <practice@example.org>',
}));

/** Opens the account of a person in a new tab. */
async function openAccount(person: { email: string; password: string }): Promise<Page> {
  const page = await browser.open(pages.view('/login'));
  await pages.logIn(page, person);
  await page.getByText('This session').waitFor();
  return page;
}

/** Waits until the account shows so many access tokens. */
const expectTokens = (page: Page, count: number): Promise<void> =>
  eventually(async () => expect(await page.locator('.tokens li').count()).toBe(count));

/** Asks for a reset link, and takes it from the mail. */
async function askForLink(page: Page, email: string): Promise<string> {
  await page.getByRole('link', { name: 'Forgotten your password?' }).click();
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.getByRole('status').getByText('If there is an account with this e-mail').waitFor();
  return linkTo(email, /http\S+#\/reset\S+/);
}

/** The link in the next mail to an e-mail. Other mails are passed over. */
async function linkTo(email: string, form = /http\S+/): Promise<string> {
  for (;;) {
    const { text, recipients } = await mails.nextMail();
    const [link] = form.exec(text) ?? [];
    if (link !== undefined && recipients.includes(email)) {
      return link;
    }
  }
}

test('a forgotten password is replaced through the link in the mail, once', async () => {
  const { patient, client } = await pages.newPatient();
  const password = freshPassword();
  // Nothing in the address says where people go back to.
  const page = await browser.open(pages.view('/login').replace('#', '?return=https://evil.example#'));
  const link = await askForLink(page, patient.email);
  const token = new URL(link.replace('#/', '')).searchParams.get('token') ?? 'none';
  const requests: string[] = [];
  page.on('request', (request) => requests.push(JSON.stringify([request.url(), request.headers()])));
  await page.goto(link);

  await page.getByRole('heading', { level: 1, name: 'Choose a new password' }).waitFor();
  expect(page.url()).not.toContain(token);
  expect(await page.evaluate(() => document.body.innerText)).not.toContain(token);
  const newPassword = page.getByLabel('New password');
  await newPassword.fill('password123');
  await page.getByRole('button', { name: 'Set the new password' }).click();
  await page.getByText('One field needs your attention').waitFor();
  await focused(newPassword);
  expect(await descriptionOf(newPassword)).toContain('Many people use this password');
  await newPassword.fill(password);
  await page.getByRole('button', { name: 'Set the new password' }).click();

  await page.getByRole('status').getByText('Your new password is set. Please log in with it.').waitFor();
  await expectWayBack(page);
  expect(requests.filter((request) => request.includes(token))).toEqual([]);
  expect((await client.me()).ok).toBe(false);
  await pages.logIn(page, { ...patient, password });
  await page.getByText('This session').waitFor();
  await page.goto('about:blank');
  await page.goto(link);
  await page.getByLabel('New password').fill(freshPassword());
  await page.getByRole('button', { name: 'Set the new password' }).click();
  const code = page.getByLabel('Reset code');
  await focused(code);
  expect(await descriptionOf(code)).toContain('This link was used already, or has expired.');
});

test('a changed password ends the sessions in other tabs, unless the user lets them be', async () => {
  const { patient } = await pages.newPatient();
  const password = freshPassword();
  const [page, other] = [await openAccount(patient), await openAccount(patient)];
  const change = page.getByRole('button', { name: 'Change the password' });
  await page.getByLabel('Current password').fill('not the password');
  await page.getByLabel('New password').fill(password);
  await change.click();
  await focused(page.getByLabel('Current password'));
  expect(await descriptionOf(page.getByLabel('Current password'))).toContain('The password is incorrect.');

  await page.getByLabel('Current password').fill(patient.password);
  await page.getByLabel('Log out everywhere else').uncheck();
  await change.click();
  await page.getByRole('status').getByText('Your password is changed.', { exact: true }).waitFor();
  await expectTokens(page, 3);

  await page.getByLabel('Current password').fill(password);
  await page.getByLabel('New password').fill(freshPassword());
  await change.click();
  await page.getByRole('status').getByText('You are logged out everywhere else.').waitFor();
  await expectTokens(page, 1);
  await other.reload();
  await other.getByRole('status').getByText('Your session has ended.').waitFor();
});

test('a patient corrects the data, and what another device has changed in the meantime stays', async () => {
  const { patient, client } = await pages.newPatient();
  const page = await openAccount(patient);
  const phone = '+1 555 0155';
  expect((await client.updateMyProfile({ phone })).ok).toBe(true);
  const [name, birth, save] = [
    page.getByLabel('Full name'),
    page.getByLabel('Date of birth'),
    page.getByRole('button', { name: 'Save' }),
  ];
  await birth.fill('2999-12-31');
  await save.click();
  await focused(birth);
  expect(await descriptionOf(birth)).toContain('This day is still to come.');
  await birth.fill('1980-01-31');
  await name.fill(' ');
  await save.click();
  await focused(name);
  expect(await descriptionOf(name)).toContain('Please fill this in.');
  expect(await client.me()).toMatchObject({ data: { name: patient.name } });

  await name.fill('Pat Married');
  await page.getByLabel('Language of the mails').selectOption('Deutsch');
  await save.click();
  await page.getByRole('status').getByText('Your data is saved.').waitFor();
  await page.getByRole('heading', { level: 2, name: 'Pat Married' }).waitFor();
  expect(await client.exportMyData()).toMatchObject({
    data: { account: { name: 'Pat Married', phone, dateOfBirth: '1980-01-31', language: 'de' } },
  });
  expect((await client.updateMyProfile({ name: 'Pat Elsewhere' })).ok).toBe(true);
  await birth.fill('');
  await save.click();
  await page.getByRole('heading', { level: 2, name: 'Pat Elsewhere' }).waitFor();
  expect(await client.me()).toMatchObject({ data: { name: 'Pat Elsewhere', phone, dateOfBirth: null } });
});

test('a person downloads their data and closes the account', async () => {
  const { patient } = await pages.newPatient();
  const page = await openAccount(patient);
  const started = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download my data' }).click();
  const download = await started;
  expect(download.suggestedFilename()).toMatch(/^my-data-\d{4}-\d\d-\d\d\.json$/);
  const data: unknown = JSON.parse(await readFile(await download.path(), 'utf8'));
  expect(data).toMatchObject({ account: { email: patient.email }, tokens: [{}, {}], profile: null });

  const open = page.getByRole('button', { name: 'Close my account…' });
  await open.click();
  const dialog = page.getByRole('dialog', { name: 'Close your account?' });
  await focused(dialog.getByLabel('Password'));
  await page.keyboard.press('Escape');
  await focused(open);
  await open.click();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await focused(open);
  await open.click();
  await dialog.getByLabel('Password').fill('not the password');
  await dialog.getByRole('button', { name: 'Close my account' }).click();
  await dialog.getByText('The password is incorrect.').first().waitFor();
  await dialog.getByLabel('Password').fill(patient.password);
  await dialog.getByRole('button', { name: 'Close my account' }).click();

  await page
    .getByRole('status')
    .getByText(/^Your account is closed\. It will be erased after \w+ \d+, \d{4}\.$/)
    .waitFor();
  await page.getByRole('heading', { level: 1, name: 'Log in' }).waitFor();
  await expectWayBack(page);
  const login = await pages.client().login(patient);
  expect(login).toMatchObject({ ok: false, error: { code: 'INVALID_CREDENTIALS' } });
});

test('an e-mail is confirmed by the button of the page, not by opening it, and changed by another link', async () => {
  const { patient, client } = await pages.newPatient();
  const link = await linkTo(patient.email);
  const token = new URL(link.replace('#/', '')).searchParams.get('token') ?? 'none';
  const page = await browser.open(pages.view('/login'));
  await pages.logIn(page, patient);
  await page.getByRole('heading', { name: 'Your e-mail address is not confirmed' }).waitFor();

  await page.goto(link);
  const confirm = page.getByRole('button', { name: 'Confirm the address' });
  await confirm.waitFor();
  expect(page.url()).not.toContain(token);
  expect(await client.me()).toMatchObject({ ok: true, data: { emailVerifiedAt: null } });
  await confirm.click();
  await page.getByRole('status').getByText('Your e-mail address is confirmed.').waitFor();
  await expectWayBack(page);
  expect(await client.me()).toMatchObject({ ok: true, data: { emailVerifiedAt: expect.any(String) } });
  await page.getByRole('heading', { name: 'E-mail address' }).waitFor();
  expect(await page.getByText('is not confirmed').count()).toBe(0);

  const email = freshEmail();
  await page.getByLabel('New e-mail address').fill(email);
  await page.getByLabel('Your password').fill('not the password');
  const change = page.getByRole('button', { name: 'Change the address' });
  await change.click();
  await focused(page.getByLabel('Your password'));
  expect(await descriptionOf(page.getByLabel('Your password'))).toContain('The password is incorrect.');
  await page.getByLabel('Your password').fill(patient.password);
  await change.click();
  await page.getByRole('status').getByText('Open the link in the mail to the new address').waitFor();
  await page.goto(await linkTo(email));
  await confirm.click();
  await page.getByText(`Your address is ${email}.`).waitFor();

  await page.goto(link);
  await confirm.click();
  const code = page.getByLabel('Code of the link');
  await focused(code);
  expect(await descriptionOf(code)).toContain('This link was used already, or has expired.');
});
