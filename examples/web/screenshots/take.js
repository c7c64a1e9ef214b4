// Takes the screenshots beside this file: `node examples/web/screenshots/take.js`, after `npm run build`. It needs Debian's
// Chromium. The gateway, its data and the people are made for this, and removed afterwards.
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { makePeople } from './people.js';
import { startPractice } from './practice.js';

const TALL = { width: 1366, height: 1040 };
const PHONE = { width: 390, height: 844 };

const practice = await startPractice();
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'],
});
try {
  const people = await makePeople(browser, practice.gateway, practice.reviewer);
  await take('login', showLogin, { viewport: { width: 1366, height: 768 } });
  await take('login-390', showLogin, { viewport: PHONE });
  await take('login-dark', showLogin, { viewport: PHONE, colorScheme: 'dark' });
  await take('doctor-registration', (page) => fillInRegistration(page, people.newcomer), { viewport: TALL });
  await take('account', (page) => logIn(page, people.rejected), { viewport: { width: 1366, height: 1240 } });
  await take('account-390', (page) => logIn(page, people.rejected), { viewport: PHONE });
  await take('account-dark', (page) => logIn(page, people.rejected), { viewport: TALL, colorScheme: 'dark' });
} finally {
  await browser.close();
  await practice.stop();
  await rm(practice.folder, { recursive: true });
}

/** Opens the page with a new profile, shows something, and saves the picture. */
async function take(name, show, profile) {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', ...profile });
  const page = await context.newPage();
  await page.goto(practice.page);
  await show(page);
  const path = fileURLToPath(new URL(`${name}.png`, import.meta.url));
  await page.mouse.move(0, 0);
  await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
  await context.close();
}

async function showLogin(page) {
  await page.getByLabel('E-mail').fill('grace@example.org');
  await page.getByLabel('Password').fill('correct horse battery');
  await page.getByRole('button', { name: 'Show password' }).click();
}

async function logIn(page, { email, password }) {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByText('Welcome back').waitFor();
  // Without the notice, as on the next day.
  await page.reload();
  await page.getByText('This session').waitFor();
}

async function fillInRegistration(page, doctor) {
  await page.getByRole('link', { name: 'For doctors' }).click();
  await page.getByLabel('Full name').fill(doctor.name);
  await page.getByLabel('E-mail').fill(doctor.email);
  await page.getByLabel('Telephone').fill(doctor.phone);
  await page.getByLabel('Specialization').fill(doctor.specialization);
  await page.getByLabel('License number').fill(doctor.licenseNumber);
  const inputs = await page.locator('input[type=file]').all();
  for (const [index, file] of Object.values(doctor.files).entries()) {
    await inputs[index].setInputFiles(file);
  }
  await page.getByLabel('Password').fill('grace-hopper-12');
  await page.getByText('it contains your name').waitFor();
}
