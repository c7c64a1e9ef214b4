import type { Locator, Page } from 'playwright-core';
import { aPatient, freshEmail } from '../support/people.ts';
import { useBrowser } from './support/browser.ts';
import { focused } from './support/pages.ts';
import { usePeoplePages } from './support/people-pages.ts';

const browser = useBrowser();
const pages = usePeoplePages();

/** Opens the registration of a patient with a name and an e-mail. */
async function openRegistration(): Promise<Page> {
  const page = await browser.open(pages.view('/register/patient'));
  await page.getByLabel('Full name').fill('Margarete Weinzierl');
  await page.getByLabel('E-mail').fill('greta.w@example.org');
  return page;
}

const showButton = (page: Page, label: string) => page.getByRole('button', { name: `Show ${label}` });

/** What of a text field is selected: the caret, if nothing is. */
const selectionIn = (input: Locator) =>
  input.evaluate((it: HTMLInputElement) => [it.type, it.selectionStart, it.selectionEnd]);

test('a password can be shown and hidden, and the caret stays where it is', async () => {
  const page = await browser.open(pages.view('/login'));
  const password = page.getByLabel('Password');
  const show = showButton(page, 'password');
  await password.fill('correct horse battery');
  await password.press('Home');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+ArrowRight');
  expect(await show.getAttribute('aria-pressed')).toBe('false');

  await show.click();
  await focused(password);
  expect(await selectionIn(password)).toEqual(['text', 1, 2]);
  expect(await show.getAttribute('aria-pressed')).toBe('true');
  await page.keyboard.type('xyz');
  expect(await password.inputValue()).toBe('cxyzrrect horse battery');

  await show.press('Space');
  await focused(show);
  expect(await selectionIn(password)).toEqual(['password', 4, 4]);
});

test('a password that is sent is hidden again', async () => {
  const stranger = aPatient();
  const page = await browser.open(pages.view('/login'));
  await page.getByLabel('E-mail').fill(stranger.email);
  await page.getByLabel('Password').fill(stranger.password);
  await showButton(page, 'password').click();
  await page.getByRole('button', { name: 'Log in' }).click();

  await page.getByRole('alert').getByText('There is no account').waitFor();
  expect(await page.getByLabel('Password').getAttribute('type')).toBe('password');
});

test('every password of an account can be shown', async () => {
  const { patient } = await pages.newPatient();
  const page = await browser.open(pages.view('/login'));
  await pages.logIn(page, patient);
  for (const label of ['Current password', 'New password']) {
    await page.getByLabel(label).fill('something');
    await showButton(page, label.toLowerCase()).click();
    expect(await page.getByLabel(label).getAttribute('type')).toBe('text');
  }
});

test('a new password gets advice while it is typed', async () => {
  const page = await openRegistration();
  const password = page.getByLabel('Password');
  const advice = page.locator('.strength [aria-live]');
  expect(await advice.textContent()).toBe('');
  const texts: [password: string, advice: string][] = [
    ['short', 'Too short: 3 more needed.'],
    ['baseball', 'Too common: attackers try this one first.'],
    ['Baseball!1', 'Too common: attackers try this one first.'],
    ['weinzierl-81', 'Easy to guess: it contains your name or e-mail.'],
    ['77 greta.w 77', 'Easy to guess: it contains your name or e-mail.'],
    ['mmmmmmmmmmmmmm', 'Easy to guess: it repeats itself, or follows a sequence.'],
    ['k3#vTq8w', 'Fair. A longer one is stronger.'],
    ['k3#vTq8w-pZ', 'Fair. A longer one is stronger.'],
    ['k3#vTq8w-pZ4', 'Good.'],
    ['seven green lanterns', 'Strong.'],
    ['ü'.repeat(37), 'Too long: it may have up to 72 bytes.'],
  ];
  for (const [text, expected] of texts) {
    await password.fill(text);
    await advice.getByText(expected, { exact: true }).waitFor();
  }
});

test('the advice refuses nothing: the gateway decides', async () => {
  const page = await openRegistration();
  await page.getByLabel('E-mail').fill(freshEmail());
  await page.getByLabel('Password').fill('mmmmmmmmmmmmmmm');
  await page.getByText('it repeats itself').waitFor();
  await page.getByRole('button', { name: 'Register' }).click();

  await page.getByText('Your account is ready.').waitFor();
});

test('without the list of common passwords the advice is only shorter', async () => {
  const page = await openRegistration();
  await page.route('**/assets/*common-passwords*', (route) => route.abort());
  await page.getByLabel('Password').fill('baseball');

  await page.getByText('Fair. A longer one is stronger.').waitFor();
  await page.getByLabel('Password').fill('weinzierl');
  await page.getByText('it contains your name').waitFor();
  expect(await browser.takeProblems()).toContainEqual(expect.stringContaining('common-passwords'));
});
