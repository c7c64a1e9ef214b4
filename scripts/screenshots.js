import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { argv, execPath, stdout } from 'node:process';
import { chromium } from 'playwright-core';

/*
 * Takes the pictures of the pages in docs/screenshots, at two widths, light and dark. Build first: `npm run build`.
 *   node scripts/screenshots.js [start] [docs] [graphiql]
 * It needs Debian's Chromium, as the tests of the pages do.
 */
const FOLDER = 'docs/screenshots';
const PORT = '4799';
const GATEWAY = `http://127.0.0.1:${PORT}`;

/** Each page with an element that shows that it is ready. `height` keeps the picture of a page full of text below 150 KB. */
const PAGES = {
  start: { path: '/', ready: '.copy:not([hidden])' },
  docs: {
    path: '/docs#tag/registration/POST/api/v1/auth/register/patient',
    ready: '[id*="doctor_profiles"]',
    height: 580,
  },
  graphiql: {
    path: '/graphql',
    ready: '.graphiql-query-editor .view-line',
    prepare: runRegistration,
    height: 560,
  },
};
const WINDOWS = [
  { width: 1366, height: 768 },
  { width: 390, height: 844 },
];

/** Registers somebody in GraphiQL: a doctor, but on a telephone, where the files leave little room, a patient. */
async function runRegistration(page, isWide) {
  if (isWide) {
    await page.getByRole('button', { name: 'RegisterDoctor', exact: true }).click();
    await page.locator('#files').waitFor();
  }
  await page.getByRole('button', { name: /^Execute query/ }).click();
  await page.locator('.result-window .view-line').nth(8).waitFor();
}

/** Waits until the gateway has written its start line. */
const ready = (gateway) =>
  new Promise((resolve, reject) => {
    gateway.stdout.on('data', (chunk) => String(chunk).includes('is ready') && resolve());
    gateway.on('exit', (code) => reject(new Error(`The gateway ended with ${code}.`)));
  });

async function takePicture(browser, name, viewport, colorScheme) {
  const { path: address, ready: isShown, prepare, height: wideHeight } = PAGES[name];
  const isWide = viewport.width > 1000;
  const context = await browser.newContext({ viewport, colorScheme });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  await page.goto(`${GATEWAY}${address}`);
  await page.locator(isShown).first().waitFor();
  await prepare?.(page, isWide);
  // Fonts, highlighting and the jump to the operation.
  await page.waitForTimeout(5_000);
  const file = path.join(FOLDER, `${name}-${viewport.width}-${colorScheme}.png`);
  const height = (isWide && wideHeight) || viewport.height;
  const clip = { x: 0, y: 0, width: viewport.width, height };
  await page.screenshot({ path: file, clip, animations: 'disabled', caret: 'hide' });
  stdout.write(`${file}\n`);
  await context.close();
}

const wanted = argv.length > 2 ? argv.slice(2) : Object.keys(PAGES);
const folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-screenshots-'));
const settings = {
  PORT,
  PAGES: 'on',
  LOG_LEVEL: 'silent',
  DATA_DIR: folder,
  STORAGE_DIR: `${folder}/storage`,
};
const gateway = spawn(execPath, ['dist/main.js'], { env: settings, stdio: ['ignore', 'pipe', 'inherit'] });
try {
  await mkdir(FOLDER, { recursive: true });
  await ready(gateway);
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  for (const name of wanted) {
    for (const viewport of WINDOWS) {
      for (const colorScheme of ['light', 'dark']) {
        await takePicture(browser, name, viewport, colorScheme);
      }
    }
  }
  await browser.close();
} finally {
  gateway.kill();
  await rm(folder, { recursive: true, force: true });
}
