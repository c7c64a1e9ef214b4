import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { codeAt, TWO_FACTOR } from '../support/second-factor.ts';
import { useBrowser } from './support/browser.ts';
import { focused } from './support/pages.ts';
import { usePeoplePages } from './support/people-pages.ts';

const browser = useBrowser();
const pages = usePeoplePages(() => ({ ...TWO_FACTOR, OPERATOR_API: 'on' }));
const narrow = { viewport: { width: 390, height: 844 } };
const required = usePeoplePages(() => ({
  ...TWO_FACTOR,
  ...{ TWO_FACTOR_REQUIRED: 'patient', TWO_FACTOR_GRACE_DAYS: '0' },
}));

/** The gateway keeps the time of the machine. */
const codeNow = (secretKey: string, steps = 0) => codeAt(secretKey, steps, Date.now());

/** A patient who has set up an app on another device. */
async function anEnrolledPatient() {
  const { patient, client } = await pages.newPatient();
  const begun = await client.enableTwoFactor({ password: patient.password });
  const secretKey = begun.ok ? begun.data.secretKey : '';
  const confirmed = await client.confirmTwoFactor({ code: codeNow(secretKey, -1) });
  return { patient, secretKey, recoveryCodes: confirmed.ok ? confirmed.data.recoveryCodes : [] };
}

/** The secret that the page shows, as a person would type it. */
async function secretOn(page: Page): Promise<string> {
  const secret = await page.locator('code.secret').textContent();
  const image = page.getByRole('img', { name: 'QR code with the secret' });
  await image.waitFor();
  expect(
    await image.evaluate((it: HTMLImageElement) => it.decode().then(() => it.naturalWidth)),
  ).toBeGreaterThan(20);
  const link = page.getByRole('link', { name: 'Open the app on this device' });
  expect(await link.getAttribute('href')).toMatch(/^otpauth:\/\/totp\//);
  return (secret ?? '').replaceAll(' ', '');
}

/** The recovery codes in the dialog, which are then kept. */
async function keptCodes(page: Page): Promise<string[]> {
  const dialog = page.getByRole('dialog', { name: 'Your recovery codes' });
  await dialog.waitFor();
  const codes = ((await dialog.locator('pre').textContent()) ?? '').trim().split('\n');
  expect(codes).toHaveLength(10);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Save' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^recovery-codes-example-practice-\d{4}-\d\d-\d\d\.txt$/);
  const saved = await readFile(await download.path(), 'utf8');
  expect(saved).toMatch(/^Recovery codes of Example practice, made on \w+ \d+, \d{4}\n\n/);
  expect(saved.trim().split('\n').slice(2)).toEqual(codes);
  // Each on a line of its own, and all of it to be seen.
  const { lines, hidden } = await dialog.locator('pre').evaluate((pre) => {
    const range = document.createRange();
    range.selectNodeContents(pre);
    const boxes = [...range.getClientRects()];
    return { lines: new Set(boxes.map(({ top }) => top)).size, hidden: pre.scrollWidth - pre.clientWidth };
  });
  expect([lines, hidden]).toEqual([10, 0]);
  await dialog.getByRole('button', { name: 'Print' }).waitFor();
  await dialog.getByRole('button', { name: 'Copy' }).click();
  await dialog.getByRole('button', { name: /Copied|Mark the codes/ }).waitFor();
  // They would be lost.
  await page.keyboard.press('Escape');
  await dialog.getByText(codes[0] ?? '').waitFor();
  await dialog.getByRole('button', { name: 'I have kept them' }).click();
  await dialog.waitFor({ state: 'hidden' });
  return codes;
}

async function typePassword(page: Page, { email, password }: { email: string; password: string }) {
  await page.getByRole('heading', { name: 'Log in', level: 1 }).waitFor();
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
}

const problem = (page: Page, text: string) => page.getByRole('alert').getByText(text).waitFor();

test('a person sets up an app, logs in with codes and with a recovery code, and removes it', async () => {
  const { patient } = await pages.newPatient();
  const { email, password } = patient;
  const page = await browser.open(pages.view('/login'), narrow);
  await pages.logIn(page, patient);

  await page.getByRole('button', { name: 'Set up an app…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Your password').fill('wrong password');
  await dialog.getByRole('button', { name: 'Go on' }).click();
  await problem(page, 'The password is incorrect.');
  await dialog.getByLabel('Your password').fill(password);
  await dialog.getByRole('button', { name: 'Go on' }).click();
  const secretKey = await secretOn(page);
  const code = dialog.getByLabel('Code that the app shows');
  expect([await code.getAttribute('autocomplete'), await code.getAttribute('inputmode')]).toEqual([
    'one-time-code',
    'numeric',
  ]);
  await code.fill('000000');
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await problem(page, 'This code is not right.');
  await focused(code);
  const now = codeNow(secretKey, -1);
  await code.fill(`${now.slice(0, 3)} ${now.slice(3)}`);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  const [first = '', second = ''] = await keptCodes(page);
  await page.getByText('Recovery codes left: 10.').waitFor();

  await page.getByRole('button', { name: 'Log out', exact: true }).click();
  await typePassword(page, { email, password });
  const ofApp = page.getByLabel('Code of your authenticator app');
  await focused(ofApp);
  await ofApp.fill('000000');
  await page.getByRole('button', { name: 'Log in' }).click();
  await problem(page, 'This code is not right.');
  await ofApp.fill(codeNow(secretKey));
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('status').getByText('Welcome back').waitFor();

  await page.getByRole('button', { name: 'Log out', exact: true }).click();
  await typePassword(page, { email, password });
  await page.getByRole('button', { name: 'Lost your phone? Use a recovery code' }).click();
  await focused(page.getByLabel('Recovery code'));
  await page.getByLabel('Recovery code').fill('not a code');
  await page.getByRole('button', { name: 'Log in' }).click();
  await problem(page, 'This recovery code is not right.');
  await page.getByRole('button', { name: 'Use the authenticator app' }).click();
  expect(await page.getByText('is not right').count()).toBe(0);
  await page.getByRole('button', { name: 'Lost your phone? Use a recovery code' }).click();
  await page.getByLabel('Recovery code').fill(first.toLowerCase());
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByText('Recovery codes left: 9.').waitFor();
  const offer = page.locator('.sections > section').first();
  await offer.getByText('If your phone is lost, replace the app now').waitFor();
  await offer.getByRole('button', { name: 'Replace the app…' }).waitFor();

  await page.getByRole('button', { name: 'Remove…' }).click();
  await dialog.getByLabel('Your password').fill(password);
  await dialog.getByRole('button', { name: 'Lost your phone? Use a recovery code' }).click();
  await dialog.getByLabel('Recovery code').fill(second);
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('status').getByText('Your second factor is removed.').waitFor();
  await page.getByRole('button', { name: 'Set up an app…' }).waitFor();
});

test('a reviewer is sent to the console, and the token that the login gave ends', async () => {
  const reviewer = await pages.newReviewer();
  const page = await browser.open(pages.view('/login'));
  const answered = page.waitForResponse((response) => response.url().endsWith('/graphql'));
  await typePassword(page, reviewer);
  const { data } = (await (await answered).json()) as { data: { login: { token: string } } };
  await page.getByRole('status').getByText('This account is for the console.').waitFor();
  await page.getByRole('heading', { name: 'Log in', level: 1 }).waitFor();
  const link = page.getByRole('link', { name: 'the console' });
  expect(await link.getAttribute('href')).toBe(`${pages.staffUrl}`);
  expect((await pages.client(data.login.token).me()).ok).toBe(false);
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
});

test('after five wrong codes the page asks for the password again', async () => {
  const { patient } = await anEnrolledPatient();
  const page = await browser.open(pages.view('/login'));
  await typePassword(page, patient);
  for (let times = 0; times < 5; times += 1) {
    await page.getByLabel('Code of your authenticator app').fill(`00000${times}`);
    await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/graphql')),
      page.getByRole('button', { name: 'Log in' }).click(),
    ]);
  }
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('status').getByText('there were too many wrong codes. Please log in again.').waitFor();
  await page.getByLabel('Password').waitFor();
});

test('a login that the operators refuse sets an app up, and then the page shows the account', async () => {
  const { patient } = await required.newPatient();
  const page = await browser.open(required.view('/login'));
  await typePassword(page, patient);
  await page.getByText('Your account needs a second factor').waitFor();
  const secretKey = await secretOn(page);
  await page.getByLabel('Code that the app shows').fill(codeNow(secretKey));
  await page.getByRole('button', { name: 'Confirm' }).click();
  await keptCodes(page);
  await page.getByText('Recovery codes left: 10.').waitFor();
  expect(await page.getByRole('button', { name: 'Remove…' }).count()).toBe(0);
});

test('a changed password asks for a code, and new recovery codes replace the former ones', async () => {
  const { patient, secretKey, recoveryCodes } = await anEnrolledPatient();
  const { email, password } = patient;
  const [first = '', second = ''] = recoveryCodes;
  const page = await browser.open(pages.view('/login'));
  await typePassword(page, patient);
  await page.getByLabel('Code of your authenticator app').fill(codeNow(secretKey));
  await page.getByRole('button', { name: 'Log in' }).click();

  const change = page.locator('section', { has: page.getByRole('button', { name: 'Change the password' }) });
  await change.getByLabel('Current password').fill(password);
  await change.getByLabel('New password').fill('seven green lanterns');
  await change.getByRole('button', { name: 'Change the password' }).click();
  await problem(page, 'Please fill this in.');
  await change.getByRole('button', { name: 'Lost your phone? Use a recovery code' }).click();
  await change.getByLabel('Recovery code').fill(first);
  await change.getByRole('button', { name: 'Change the password' }).click();
  await page.getByRole('status').getByText('Your password is changed.').waitFor();

  await page.getByRole('button', { name: 'New recovery codes…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Your password').fill('seven green lanterns');
  await dialog.getByRole('button', { name: 'Lost your phone? Use a recovery code' }).click();
  await dialog.getByLabel('Recovery code').fill(second);
  await dialog.getByRole('button', { name: 'Make new codes' }).click();
  const codes = await keptCodes(page);
  const login = await pages
    .client()
    .login({ email, password: 'seven green lanterns', recoveryCode: codes[0] ?? null });
  expect(login.ok).toBe(true);
});
