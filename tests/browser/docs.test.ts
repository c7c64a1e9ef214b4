import type { BrowserContextOptions, Page, Response } from 'playwright-core';
import { send } from '../support/http.ts';
import { openApiDocument } from '../support/openapi.ts';
import { aDoctor } from '../support/people.ts';
import { REAL_TIME, useTestApp } from '../support/test-app.ts';
import { useBrowser } from './support/browser.ts';
import { accessibilityProblems, overflowPixels, picked } from './support/pages.ts';

/** Scalar reads a long document, which takes three seconds on a machine that does nothing else. */
const SHOWN_TIMEOUT_MILLIS = 90_000;
/** The page has over 6,000 elements. */
const AXE_TIMEOUT_MILLIS = 240_000;

const browser = useBrowser();
const app = useTestApp({ PAGES: 'on' }, undefined, ...REAL_TIME);

/** Opens the page, and waits until its last operation is shown. */
async function openDocs(options?: BrowserContextOptions): Promise<Page> {
  const page = await browser.open(`${app.url}/docs`, options);
  const last = page.getByRole('button', { name: /^Test Request.*doctor_profiles/ });
  await last.waitFor({ timeout: SHOWN_TIMEOUT_MILLIS });
  return page;
}

/** Opens the form of an operation, such as `post /api/v1/auth/login`. */
async function openForm(page: Page, operation: string): Promise<void> {
  await page.getByRole('button', { name: `Test Request (${operation})`, exact: true }).click();
  await sendButton(page).waitFor();
}

const sendButton = (page: Page) => page.getByRole('dialog').getByRole('button', { name: /^Send/ }).first();

async function closeForm(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await sendButton(page).waitFor({ state: 'hidden' });
}

/** Sends the request of the open form, and waits until a person sees the status of the answer. */
async function sendForm(page: Page): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = page.waitForResponse((response: Response) => response.request().resourceType() === 'fetch');
  await sendButton(page).click();
  const response = await answer;
  await page.getByRole('dialog').getByText(String(response.status())).first().waitFor();
  return { status: response.status(), body: await response.json() };
}

/** Opens a form, sends its example, and closes it. */
async function tryOut(page: Page, operation: string) {
  await openForm(page, operation);
  const answer = await sendForm(page);
  await closeForm(page);
  return answer;
}

test('every operation has a form, whose first click succeeds: a patient registers, logs in, reads the account and logs out', async () => {
  const { paths } = openApiDocument();
  const page = await openDocs();
  const buttons = await page.getByRole('button', { name: /^Test Request/ }).allTextContents();
  expect(buttons.map((text) => /\((.*)\)/.exec(text)?.[1])).toEqual(
    Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method} ${path}`),
    ),
  );

  await openForm(page, 'post /api/v1/auth/register/patient');
  const first = await sendForm(page);
  expect(first).toMatchObject({ status: 201, body: { data: { role: 'patient' } } });
  const second = await sendForm(page);
  expect(second).toMatchObject({ status: 201, body: { data: { role: 'patient' } } });
  await closeForm(page);
  expect(await tryOut(page, 'get /api/v1/user')).toEqual({ status: 200, body: second.body.data });
  const login = await tryOut(page, 'post /api/v1/auth/login');
  expect(login).toEqual({ status: 200, body: { data: first.body.data, token: expect.any(String) } });
  expect(await tryOut(page, 'post /api/v1/auth/logout')).toEqual({
    status: 200,
    body: { message: 'Logged out' },
  });
});

test('a doctor registers with the example files, and with a file of their own', async () => {
  const { licenseFile } = aDoctor();
  const page = await openDocs();

  await openForm(page, 'post /api/v1/auth/register/doctor');
  expect((await sendForm(page)).status).toBe(201);
  const row = page.locator('tr#license_file');
  await row.getByText('license.pdf').last().hover({ force: true });
  await row.getByRole('button', { name: 'Delete' }).click();
  const chooser = page.waitForEvent('filechooser');
  await row.getByRole('button', { name: 'Select File' }).click();
  await (await chooser).setFiles(picked({ ...licenseFile, name: 'own.pdf' }));
  // Scalar takes over an edit a moment later. The example in curl, behind the form, shows when.
  await page.getByText('@own.pdf').first().waitFor({ state: 'attached' });
  const { status, body } = await sendForm(page);

  expect(status).toBe(201);
  const { profile } = body.data as { profile: { licenseFileUrl: string } };
  expect((await send(profile.licenseFileUrl)).bytes).toEqual(licenseFile.bytes);
});

test('on a telephone the answer comes into sight, below the request', async () => {
  const page = await openDocs({ viewport: { width: 390, height: 844 } });
  await openForm(page, 'post /api/v1/auth/register/patient');
  expect((await sendForm(page)).status).toBe(201);

  const status = await page.getByRole('dialog').getByText('201 Created').boundingBox();
  expect(status?.y).toBeGreaterThan(0);
  expect(status?.y).toBeLessThan(500);
});

test('the browser keeps nothing of what somebody tried', async () => {
  const page = await openDocs();
  await tryOut(page, 'post /api/v1/auth/register/patient');
  await page.locator('.darklight-reference button').click();
  await page.locator('body.dark-mode').waitFor();

  const other = await browser.open(`${app.url}/`);
  expect(await other.evaluate(() => ({ ...localStorage, ...sessionStorage }))).toEqual({});
  expect((await page.context().storageState({ indexedDB: true })).origins).toEqual([]);
  expect(await page.context().cookies()).toEqual([]);
});

test.each([
  ['light', { width: 390, height: 844 }],
  ['dark', { width: 1366, height: 768 }],
] as const)(
  'the documentation follows the system into %s mode, is accessible, and fits its window',
  async (colorScheme, viewport) => {
    const page = await openDocs({ colorScheme, viewport });

    await page.locator(`body.${colorScheme}-mode`).waitFor();
    expect(await overflowPixels(page)).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
  },
  AXE_TIMEOUT_MILLIS,
);

test('the form of a request and its answer are accessible', async () => {
  const page = await openDocs();
  await openForm(page, 'post /api/v1/auth/register/doctor');
  await sendForm(page);

  // Scalar does not hide the page behind its dialog from axe, and each has a main part.
  const duplicate = 'moderate landmark-no-duplicate-main: #scalar-client-0 > main';
  expect((await accessibilityProblems(page, '[role=dialog]')).filter((it) => it !== duplicate)).toEqual([]);
});
