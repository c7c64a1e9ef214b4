import type { BrowserContextOptions, Page } from 'playwright-core';
import { send } from '../support/http.ts';
import { openApiDocument } from '../support/openapi.ts';
import { aDoctor, aPatient, freshEmail } from '../support/people.ts';
import { REAL_TIME, useTestApp } from '../support/test-app.ts';
import { useBrowser } from './support/browser.ts';
import { picked } from './support/pages.ts';

const browser = useBrowser();
const app = useTestApp({ PAGES: 'on' }, undefined, ...REAL_TIME);

const openDocs = (options?: BrowserContextOptions) => browser.open(`${app.url}/docs`, options);

/** Unfolds an operation. */
async function unfold(page: Page, operationId: string) {
  const operation = page.locator(`.opblock[id$="-${operationId}"]`);
  await operation.locator('.opblock-summary-control').click();
  await operation.locator('.btn.execute').waitFor();
  return operation;
}

/** Presses the button of an unfolded operation, and reads the answer where a person would. */
async function execute(operation: Awaited<ReturnType<typeof unfold>>) {
  await operation.locator('.btn.execute').click();
  const answer = operation.locator('.live-responses-table tbody tr').first();
  const body = await answer.locator('.highlight-code code').first().textContent();
  const status = await answer.locator('.response-col_status').textContent();
  return { status, body: JSON.parse(body ?? '') };
}

test('the documentation shows every operation and every schema', async () => {
  const { paths, components } = openApiDocument();
  const page = await openDocs();

  await page.locator('.models').waitFor();
  const shown = await page
    .locator('.opblock-summary')
    .evaluateAll((found) =>
      found.map((summary) => summary.querySelector('[data-path]')?.getAttribute('data-path')),
    );
  expect(shown).toEqual(
    Object.entries(paths).flatMap(([path, operations]) => Object.keys(operations).map(() => path)),
  );
  const schemas = await page.locator('.models .json-schema-2020-12__title').allTextContents();
  expect(schemas).toEqual(Object.keys(components.schemas));
});

test('a patient registers, logs in, and logs out with the token of Authorize', async () => {
  const page = await openDocs();
  const patient = aPatient();

  const registration = await unfold(page, 'registerPatient');
  await registration.locator('.body-param__text').fill(JSON.stringify(patient));
  const registered = await execute(registration);
  expect(registered).toMatchObject({ status: '201', body: { data: { email: patient.email } } });

  const login = await unfold(page, 'login');
  const { email, password } = patient;
  await login.locator('.body-param__text').fill(JSON.stringify({ email, password }));
  const loggedIn = await execute(login);
  expect(loggedIn).toMatchObject({ status: '200', body: { data: { email } } });

  await page.locator('.btn.authorize').first().click();
  const bearer = page.locator('.auth-container', { has: page.locator('#auth-bearer-value') });
  await bearer.locator('input').fill(loggedIn.body.token);
  await bearer.locator('.modal-btn.authorize').click();
  await page.locator('.btn-done').first().click();
  const logout = await unfold(page, 'logout');
  expect(await execute(logout)).toEqual({ status: '200', body: { message: 'Logged out' } });

  expect(await page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0);
  expect(await browser.takeProblems()).toEqual([]);
});

test('a doctor registers with an e-mail and three files', async () => {
  const page = await openDocs();
  const { licenseFile, diplomaFile, certificationFile } = aDoctor();
  const email = freshEmail();

  const registration = await unfold(page, 'registerDoctor');
  const input = (name: string) => registration.locator(`[data-property-name="${name}"] input`).first();
  await input('email').fill(email);
  await input('license_file').setInputFiles(picked(licenseFile));
  await input('diploma_file').setInputFiles(picked(diplomaFile));
  await input('certification_file').setInputFiles(picked(certificationFile));
  const { status, body } = await execute(registration);

  expect(status).toBe('201');
  expect(body.data).toMatchObject({ account: { email }, profile: { specialization: 'Cardiology' } });
  const { licenseFileUrl, diplomaFileUrl, certificationUrl } = body.data.profile;
  expect((await send(licenseFileUrl)).bytes).toEqual(licenseFile.bytes);
  expect((await send(diplomaFileUrl)).bytes).toEqual(diplomaFile.bytes);
  expect((await send(certificationUrl)).bytes).toEqual(certificationFile.bytes);
});

test('the documentation follows the dark mode of the system', async () => {
  const page = await openDocs({ colorScheme: 'dark' });
  await page.locator('.info .title').waitFor();
  const isTitle = (kind: 'light' | 'dark') =>
    page.waitForFunction((wanted) => {
      const title = document.querySelector('.info .title');
      const [red = 0] = (title && getComputedStyle(title).color.match(/\d+/g)?.map(Number)) ?? [];
      return red > 127 === (wanted === 'light');
    }, kind);

  await isTitle('light');
  await page.emulateMedia({ colorScheme: 'light' });
  await isTitle('dark');
});
