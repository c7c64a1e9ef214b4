import type { BrowserContextOptions, Page } from 'playwright-core';
import type { TestBrowser } from './browser.ts';

/** Scalar reads a long document, which takes three seconds on a machine that does nothing else. */
const SHOWN_TIMEOUT_MILLIS = 90_000;

/** Opens the documentation of REST, and waits until its last operation is shown. */
export async function openDocs(
  browser: TestBrowser,
  url: string,
  options?: BrowserContextOptions,
): Promise<Page> {
  const page = await browser.open(`${url}/docs`, options);
  await page
    .getByRole('button', { name: /^Test Request.*doctor_profiles/ })
    .waitFor({ timeout: SHOWN_TIMEOUT_MILLIS });
  return page;
}
