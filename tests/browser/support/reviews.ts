import { randomUUID } from 'node:crypto';
import type { Locator, Page } from 'playwright-core';
import { registeredDoctor } from '../../support/expectations.ts';
import type { Staff } from '../../support/operators.ts';
import { aDoctor, type Fields } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import type { TestApp } from '../../support/test-app.ts';
import type { TestBrowser } from './browser.ts';
import { focused } from './pages.ts';

/** A doctor with a name of their own. */
export async function aRegisteredDoctor(app: TestApp, documents: Fields) {
  const doctor = aDoctor({ name: `Dr. ${randomUUID()}`, ...documents });
  const { account, profile, token } = registeredDoctor(await restApi(app.url).registerDoctor(doctor));
  return { ...doctor, id: String(account.id), profile, token };
}

/** Logs in to the console. Codes are used once, so each login takes a recovery code. */
export async function enterConsole(page: Page, staff: Staff): Promise<void> {
  await page.getByLabel('E-mail').fill(staff.email);
  await page.getByLabel('Password').fill(staff.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByLabel('Code').fill(staff.recoveryCodes.pop() ?? '');
  await page.getByRole('button', { name: 'Continue' }).click();
}

/** Logs a reviewer in. */
export async function openReviews(
  browser: TestBrowser,
  app: TestApp,
  reviewer: Staff,
  options?: Parameters<TestBrowser['open']>[1],
): Promise<Page> {
  const page = await browser.open(`${app.url}/console`, options);
  await enterConsole(page, reviewer);
  await page.getByRole('heading', { level: 1, name: 'Reviews' }).waitFor();
  return page;
}

export const queued = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Doctors' }).getByRole('button', { name });
export const shown = (page: Page, name: string): Locator => page.getByRole('heading', { level: 2, name });

/** Selects a doctor of the queue. */
export async function pick(page: Page, name: string): Promise<void> {
  await queued(page, name).click();
  await focused(shown(page, name));
}

/** What a doctor has written, by its name on the page. */
export const fact = (page: Page, name: string): Locator =>
  page.locator('.facts > div', { has: page.getByText(name, { exact: true }) }).locator('dd');
