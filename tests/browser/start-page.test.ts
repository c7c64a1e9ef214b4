import { send } from '../support/http.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { createTestApp, type TestApp, useTestApp } from '../support/test-app.ts';
import { useBrowser } from './support/browser.ts';
import { accessibilityProblems, overflowPixels } from './support/pages.ts';

const browser = useBrowser();
const app = useTestApp({ PAGES: 'on' });

test('the start page tells the health of both, and every link leads somewhere', async () => {
  const page = await browser.open(`${app.url}/`);

  expect(await page.locator('.health .up').allTextContents()).toEqual([
    'The database answers',
    'The document storage answers',
  ]);
  expect(await page.locator('.down').count()).toBe(0);
  const links = await page.evaluate(() => [...document.links].map(({ href }) => href));
  expect(links).toHaveLength(4);
  for (const link of links) {
    expect((await send(link, { headers: { Accept: 'text/html, */*' } })).status).toBe(200);
  }
});

test('it is accessible in light and in dark colours, and fits a narrow screen', async () => {
  const page = await browser.open(`${app.url}/`, { viewport: { width: 360, height: 740 } });

  expect(await overflowPixels(page)).toBe(0);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await accessibilityProblems(page)).toEqual([]);
  }
});

describe('when the database goes away', () => {
  let proxy: TcpProxy;
  let cutOff: TestApp;
  beforeAll(async () => {
    proxy = await startTcpProxy();
    cutOff = await createTestApp({ PAGES: 'on' }, proxy.through);
  });
  afterAll(async () => {
    proxy.restore();
    await cutOff.stop();
    await proxy.stop();
  });

  test('it says so, legibly in light and in dark colours', async () => {
    proxy.cut();

    const page = await browser.open(`${cutOff.url}/`);

    expect(await page.locator('.down').allTextContents()).toEqual(['The database does not answer']);
    expect(await page.locator('.up').allTextContents()).toEqual(['The document storage answers']);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityProblems(page)).toEqual([]);
    }
  });
});
