import type { Page } from 'playwright-core';
import { aPatient } from '../support/people.ts';
import { REAL_TIME, useTestApp } from '../support/test-app.ts';
import { useBrowser } from './support/browser.ts';
import { useClientPage } from './support/client-page.ts';

// The built client and its hooks for React, in React's strict mode.

const browser = useBrowser();
const app = useTestApp({}, undefined, ...REAL_TIME);
const site = useClientPage(app);

/** Waits until both components show a text. */
const shows = (page: Page, text: string) =>
  page.waitForFunction((expected) => document.body.innerText.trim() === `${expected}\n\n${expected}`, text);

const register = (page: Page, patient: ReturnType<typeof aPatient>) =>
  page.evaluate(async (fields) => (await window.client.registerPatient(fields)).ok, patient);

test('all tabs and all components show one session, and each tab asks for the account once', async () => {
  const patient = aPatient({ name: 'Tab Patient' });
  const first = await browser.open(site.url);
  await shows(first, 'anonymous');
  expect(await register(first, patient)).toBe(true);
  await shows(first, patient.name);
  expect(site.takeOperations()).toEqual(['RegisterPatient']);

  const second = await browser.open(site.url);
  await shows(second, patient.name);
  expect(site.takeOperations()).toEqual(['Me']);
  await second.evaluate(() => window.client.logout());
  await shows(second, 'anonymous');
  await shows(first, 'anonymous');
  expect(site.takeOperations()).toEqual(['Logout']);

  await first.evaluate((fields) => window.client.login(fields), patient);
  await shows(second, patient.name);
  expect(site.takeOperations().sort()).toEqual(['Login', 'Me']);
  const drawn = await second.evaluate(() => window.drawn);
  await second.evaluate(() => window.client.me());
  expect(await second.evaluate(() => window.drawn)).toBe(drawn);
});

test('a page that comes back by the back button shows the present session', async () => {
  const page = await browser.open(site.url);
  expect(await register(page, aPatient({ name: 'Back Patient' }))).toBe(true);
  await shows(page, 'Back Patient');
  await page.goto(`${site.url}?elsewhere`);
  await shows(page, 'Back Patient');
  await page.evaluate(() => window.client.logout());
  await shows(page, 'anonymous');
  await page.goBack();
  await shows(page, 'anonymous');
});
