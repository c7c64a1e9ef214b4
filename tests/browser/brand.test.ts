import { BRAND, brandSetting } from '../support/brand.ts';
import { OPERATOR_API } from '../support/operators.ts';
import { createTestApp, REAL_TIME, useTestApp } from '../support/test-app.ts';
import { useBrowser } from './support/browser.ts';
import { expectAccessible } from './support/pages.ts';

const browser = useBrowser();
const PEOPLE = { PAGES: 'on', PEOPLE_URL: 'http://127.0.0.1/people' };
const app = useTestApp({ ...OPERATOR_API, ...brandSetting(), ...PEOPLE }, undefined, ...REAL_TIME);

test.each(['#ffd400', '#0000ff', '#777777', '#ffffff', '#000000', '#00ff00', '#ff00ff'])(
  'with the accent colour %s start page and people’s pages are accessible in light and dark mode, and fit a narrow screen',
  async (accent) => {
    const branded = await createTestApp(
      { ...brandSetting({ ...BRAND, accent }, `${accent.slice(1)}.json`), ...PEOPLE },
      undefined,
      ...REAL_TIME,
    );
    const page = await browser.open(`${branded.url}/`, { viewport: { width: 320, height: 800 } });
    const people = await browser.open(`${branded.url}/people`, { viewport: { width: 320, height: 800 } });
    const logIn = people.getByRole('button', { name: 'Log in', exact: true });
    await logIn.waitFor();
    for (const each of [page, people]) {
      await expectAccessible(each);
    }
    const button = page.getByRole('link', { name: 'Open GraphiQL' });
    const colours = [1, 3, 5].map((at) => Number.parseInt(accent.slice(at, at + 2), 16)).join(', ');
    for (const it of [button, logIn]) {
      expect(await it.evaluate((one) => getComputedStyle(one).backgroundColor)).toBe(`rgb(${colours})`);
    }
    await branded.stop();
  },
);

test('the accent colours of links can be read on every background, whatever the colour of the brand', async () => {
  const page = await browser.open(`${app.url}/`);
  const lowest = await page.evaluate(() => {
    const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const luminance = (colour: string) => {
      context?.clearRect(0, 0, 1, 1);
      Object.assign(context ?? {}, { fillStyle: colour });
      context?.fillRect(0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0] = [...(context?.getImageData(0, 0, 1, 1).data ?? [])].map(
        (part) => {
          const share = part / 255;
          return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        },
      );
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const contrast = (one: string, other: string) => {
      const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
      return (high + 0.05) / (low + 0.05);
    };
    // What the gateway writes for `--accent`, with each colour of a grid in place of that of the brand.
    const sheet = [...document.styleSheets].find(({ href }) => href?.includes('/brand-'));
    const rule = sheet?.cssRules[0] as CSSStyleRule;
    const accent = rule.style.getPropertyValue('--accent');
    const [, light = '', dark = ''] = /light-dark\((.*\)), (.*\))\)/.exec(accent) ?? [];
    const steps = ['00', '33', '66', '99', 'cc', 'ff'];
    const grid = steps.flatMap((red) =>
      steps.flatMap((green) => steps.map((blue) => `#${red}${green}${blue}`)),
    );
    const lowestOf = (text: string, backgrounds: string[]) =>
      Math.min(
        ...grid.flatMap((colour) => backgrounds.map((one) => contrast(text.replace('#ffd400', colour), one))),
      );
    return {
      light: lowestOf(light, ['#f7f9f9', '#ffffff', '#f1f5f5']),
      dark: lowestOf(dark, ['#101414', '#171d1d', '#0c1010']),
    };
  });
  expect(lowest.light).toBeGreaterThanOrEqual(4.5);
  expect(lowest.dark).toBeGreaterThanOrEqual(4.5);
});

test('the pages for people show name, picture, contact and links', async () => {
  const page = await browser.open(`${app.url}/people`);
  await page.getByRole('button', { name: 'Deutsch' }).click();
  const brand = page.locator('header .brand');
  expect((await brand.textContent())?.trim()).toBe(BRAND.name);
  expect(await brand.locator('img').evaluate((it: HTMLImageElement) => it.naturalWidth)).toBe(64);
  const links = await page
    .locator('footer a')
    .evaluateAll((all) => all.map((one) => [one.textContent, one.getAttribute('href')]));
  expect(links).toEqual([
    [BRAND.contact, "mailto:o'neil%26%7Bhost%7D@clinic.example"],
    ['Impressum', BRAND.imprint],
    ['Datenschutz', BRAND.privacy],
  ]);
});

test('the console shows the name as a text', async () => {
  const page = await browser.open(`${app.url}/console`);
  await page.getByLabel('E-mail').waitFor();
  expect(await page.title()).toBe(`Console · ${BRAND.name}`);
});
