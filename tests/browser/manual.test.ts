import { rm } from 'node:fs/promises';
import path from 'node:path';
import { ROOT, runIn } from '../support/consumer.ts';
import { eventually } from '../support/eventually.ts';
import { send } from '../support/http.ts';
import { createTestApp, REAL_TIME, type TestApp } from '../support/test-app.ts';
import { useBrowser } from './support/browser.ts';

const BUILD_MILLIS = 600_000;

const browser = useBrowser();
let app: TestApp;
beforeAll(async () => {
  await rm(path.join(ROOT, 'docs/.vitepress/dist'), { recursive: true, force: true });
  app = await createTestApp({ PAGES: 'on' }, undefined, ...REAL_TIME);
  expect((await send(`${app.url}/manual/`)).status).toBe(404);
  // Beside the running gateway. It fails if a link leads nowhere.
  await runIn(ROOT, 'node', 'scripts/manual.js');
}, BUILD_MILLIS);
afterAll(() => app.stop());

test('the manual is found from the start page, read and searched, under a strict policy', async () => {
  const page = await browser.open(`${app.url}/`);
  await page.getByRole('link', { name: 'manual', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'auth-gateway' }).waitFor();
  await page.getByRole('link', { name: 'Services and proxies behind the gateway' }).first().click();
  await page.getByRole('heading', { level: 2, name: 'Forward authentication' }).waitFor();
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('searchbox').fill('GRAPHQL_INTROSPECTION');
  await page.getByRole('option').first().click();
  await page.waitForURL(/GRAPHQL|settings|graphql|client|operations/);
  await page.getByText('GRAPHQL_INTROSPECTION').first().waitFor();
  // A file of the repository is named, and leads nowhere.
  await page.goto(`${app.url}/manual/docs/rest.html`);
  expect(await page.getByRole('link', { name: 'schema/openapi.yaml' }).count()).toBe(0);
});

test('code is copied, and the colours follow the system', async () => {
  const permissions = ['clipboard-read', 'clipboard-write'];
  const page = await browser.open(`${app.url}/manual/docs/npm.html`, { permissions, colorScheme: 'dark' });
  await eventually(async () => {
    await page.getByRole('button', { name: 'Copy Code' }).first().click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('npx auth-gateway start');
  });
  expect(await page.evaluate(() => document.documentElement.classList.contains('dark'))).toBe(true);
});

test('only its own scripts may be inline, and nothing else of the gateway has its policy', async () => {
  const manual = await send(`${app.url}/manual/`);
  const policy = manual.headers.get('content-security-policy') ?? '';
  expect(policy).toMatch(/script-src 'self' 'sha256-[\w+/]{43}=' 'sha256-[\w+/]{43}=';/);
  expect(policy).not.toMatch(/style-src 'self' 'unsafe-inline'|script-src[^;]*unsafe/);
  expect((await send(`${app.url}/`)).headers.get('content-security-policy')).not.toContain('unsafe');
  const asset = /\/manual(\/assets\/[\w.-]+\.js)/.exec(manual.text)?.[1] ?? '';
  const found = await send(`${app.url}/manual${asset}`);
  expect([found.status, found.headers.get('cache-control')]).toEqual([
    200,
    'public, max-age=31536000, immutable',
  ]);
  for (const path of [
    '/manual/nothing.html',
    '/manual/..%2f..%2fpackage.json',
    '/manual/%ff',
    '/manual/%00',
    '/manual/docs',
    '/manual/docs/',
    '/manual/assets',
    '/manual//etc/passwd',
    '/manual/.vitepress/',
  ]) {
    expect([path, (await send(`${app.url}${path}`)).status]).toEqual([path, 404]);
  }
  expect((await send(`${app.url}/manual/`, { method: 'POST' })).status).toBe(405);
  const without = await createTestApp({ PAGES: 'off' });
  expect((await send(`${without.url}/manual/`)).status).toBe(404);
  await without.stop();
});
