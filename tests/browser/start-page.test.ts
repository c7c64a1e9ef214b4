import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { hasManual } from '../../src/api/pages/manual.routes.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../support/database-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { send } from '../support/http.ts';
import { createTestApp, REAL_TIME, type TestApp, useTestApp } from '../support/test-app.ts';
import { useBrowser } from './support/browser.ts';
import { expectAccessible } from './support/pages.ts';

const browser = useBrowser();
const app = useTestApp({ PAGES: 'on' }, undefined, ...REAL_TIME);

/** Opens the page, anew until it tells this of the health: of what stands still for a moment, it tells just that. */
async function openTelling(url: string, told: { up: string[]; down: unknown[] }): Promise<Page> {
  let page: Page | undefined;
  await eventually(async () => {
    page = await browser.open(url);
    const [up, down] = [page.locator('.facts .up'), page.locator('.facts .down')];
    expect({ up: await up.allTextContents(), down: await down.allTextContents() }).toEqual(told);
  });
  return page as Page;
}

test('the start page shows the health of the gateway, and every link works', async () => {
  const up = ['The database answers', 'The document storage answers'];
  const page = await openTelling(`${app.url}/`, { up, down: [] });

  const links = await page.evaluate(() => [...document.links].map(({ href }) => href));
  // The manual has a link if it was made.
  expect(new Set(links).size).toBe(hasManual() ? 5 : 4);
  for (const link of new Set(links)) {
    expect((await send(link, { headers: { Accept: 'text/html, */*' } })).status).toBe(200);
  }
});

test('the example of each API is copied, and succeeds as it is', async () => {
  const page = await browser.open(`${app.url}/`, { permissions: ['clipboard-read', 'clipboard-write'] });

  for (const name of ['GraphQL', 'REST']) {
    const example = page.locator('.example', { has: page.getByLabel(`Example for ${name}`) });
    await example.getByRole('button', { name: 'Copy' }).click();
    await example.getByRole('button', { name: 'Copied' }).waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    expect(command).toContain(app.url);
    const { stdout } = await promisify(execFile)('sh', ['-c', `${command} --silent`]);
    expect(stdout).toMatch(/"token":"[^"]{40,}"/);
  }
});

test('without a clipboard the example is selected, and without scripts there is no button', async () => {
  const page = await browser.open(`${app.url}/`);
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await page.getByRole('button', { name: 'Copy' }).first().click();
  await page.getByRole('button', { name: 'Selected: press Ctrl+C' }).waitFor();
  expect(await page.evaluate(() => String(getSelection()))).toContain(`curl ${app.url}/graphql`);

  expect((await send(`${app.url}/`)).text.match(/<button[^>]* hidden>Copy</g)).toHaveLength(2);
});

test('the start page is accessible in light and dark mode and fits a narrow screen', async () => {
  const page = await browser.open(`${app.url}/`, { viewport: { width: 390, height: 844 } });

  await expectAccessible(page);
});

describe('when the database goes away', () => {
  let proxy: DatabaseProxy;
  let cutOff: TestApp;
  beforeAll(async () => {
    proxy = await startDatabaseProxy();
    cutOff = await createTestApp({ PAGES: 'on' }, proxy.through, ...REAL_TIME);
  });
  afterAll(async () => {
    await proxy.restore();
    await cutOff.stop();
    await proxy.stop();
  });

  test('the start page says legibly that the database is unreachable, in light and dark mode', async () => {
    await proxy.cut();

    const up = ['The document storage answers'];
    // "in time" follows if the driver takes longer than the check of the health waits.
    const down = [expect.stringMatching(/^The database does not answer( in time)?$/)];
    const page = await openTelling(`${cutOff.url}/`, { up, down });

    await expectAccessible(page);
    // The page looks again by itself.
    await proxy.restore();
    await page.getByText('The database answers').waitFor();
    await page.getByRole('status').getByText('Ready', { exact: true }).waitFor();
    const problems = await browser.takeProblems();
    expect(problems.filter((problem) => !/status of 503/.test(problem))).toEqual([]);
  });
});
