// Makes docs/screenshots/graphiql-*.png of a running gateway: node scripts/graphiql-screenshots.js [http://127.0.0.1:4000]
// It registers a patient and a doctor there for each picture.
import { mkdirSync } from 'node:fs';
import { chromium } from 'playwright-core';

const [base = 'http://127.0.0.1:4000'] = process.argv.slice(2);
const FOLDER = 'docs/screenshots';
const SIZES = [
  { width: 1366, height: 560 },
  { width: 390, height: 844 },
];

async function takePicture(browser, viewport, colorScheme) {
  const page = await browser.newPage({ viewport, colorScheme });
  await page.goto(`${base}/graphql`);
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  // On a telephone the registration of a doctor leaves little room for the editors.
  const isWide = viewport.width > 1000;
  if (isWide) {
    await page.getByRole('button', { name: 'RegisterDoctor', exact: true }).click();
    await page.locator('#files').waitFor();
  }
  await page.getByRole('button', { name: /^Execute query/ }).click();
  await page.getByRole('checkbox', { name: /^Send the latest access token/ }).waitFor();
  await page.locator('.result-window .view-line').nth(8).waitFor();
  const path = `${FOLDER}/graphiql-${viewport.width}-${colorScheme}.png`;
  await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
  await page.close();
  console.log(path);
}

mkdirSync(FOLDER, { recursive: true });
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
for (const viewport of SIZES) {
  for (const colorScheme of ['light', 'dark']) {
    await takePicture(browser, viewport, colorScheme);
  }
}
await browser.close();
