import { BRAND, brandSetting } from '../support/brand.ts';
import { OPERATOR_API } from '../support/operators.ts';
import { createTestApp, REAL_TIME, useTestApp } from '../support/test-app.ts';
import { useBrowser } from './support/browser.ts';
import { accessibilityProblems, overflowPixels } from './support/pages.ts';

const browser = useBrowser();
const app = useTestApp({ ...OPERATOR_API, ...brandSetting(), PAGES: 'on' }, undefined, ...REAL_TIME);

test.each(['#ffd400', '#0000ff', '#777777', '#ffffff', '#000000', '#00ff00', '#ff00ff'])(
  'with the accent colour %s the start page is accessible in light and dark mode, and fits a narrow screen',
  async (accent) => {
    const branded = await createTestApp(
      { ...brandSetting({ ...BRAND, accent }, `${accent.slice(1)}.json`), PAGES: 'on' },
      undefined,
      ...REAL_TIME,
    );
    const page = await browser.open(`${branded.url}/`, { viewport: { width: 320, height: 800 } });
    expect(await overflowPixels(page)).toBe(0);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityProblems(page)).toEqual([]);
    }
    const button = page.getByRole('link', { name: 'Open GraphiQL' });
    const colours = [1, 3, 5].map((at) => Number.parseInt(accent.slice(at, at + 2), 16)).join(', ');
    expect(await button.evaluate((it) => getComputedStyle(it).backgroundColor)).toBe(`rgb(${colours})`);
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

test('the console shows the name as a text', async () => {
  const page = await browser.open(`${app.url}/console`);
  await page.getByLabel('E-mail').waitFor();
  expect(await page.title()).toBe(`Console · ${BRAND.name}`);
});
