import { readdirSync, readFileSync } from 'node:fs';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { send } from '../support/http.ts';
import { aDoctor, aPatient } from '../support/people.ts';
import { REAL_TIME, useTestApp } from '../support/test-app.ts';
import { useBrowser } from './support/browser.ts';
import { useGraphiql } from './support/graphiql.ts';
import { accessibilityProblems, picked } from './support/pages.ts';

const browser = useBrowser();
const TOKEN = /^[0-9a-f]{24}\|[0-9A-Za-z]{48}$/;

async function openGraphiql(app: { url: string }, options?: BrowserContextOptions) {
  const page = await browser.open(`${app.url}/graphql`, options);
  return { page, graphiql: await useGraphiql(page) };
}

/** All that a page may keep beyond its end. */
const kept = (page: Page): Promise<string> =>
  page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));

describe('GraphiQL', () => {
  const app = useTestApp({ PAGES: 'on' }, undefined, ...REAL_TIME);

  test('GraphiQL has a tab for every operation of schema/operations', async () => {
    const { page } = await openGraphiql(app);

    const files = readdirSync('schema/operations')
      .sort()
      .map((name) => readFileSync(`schema/operations/${name}`, 'utf8'));
    const names = [...files.join('\n').matchAll(/^(?:query|mutation) (\w+)/gm)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(7);
    expect(await page.locator('.graphiql-tab-button').allTextContents()).toEqual(names);
  });

  test('GraphiQL runs RegisterPatient and Login and stores nothing of them', async () => {
    const { page, graphiql } = await openGraphiql(app);

    await graphiql.openTab('RegisterPatient');
    const registered = await graphiql.run();
    expect(registered.data?.registerPatient?.token).toMatch(TOKEN);

    await graphiql.openTab('Login');
    const loggedIn = await graphiql.run();
    expect(loggedIn.data?.login?.token).toMatch(TOKEN);

    expect(await kept(page)).toBe('[{},{},""]');
    expect(page.url()).toBe(`${app.url}/graphql`);
  });

  test('GraphiQL registers a doctor with three picked files', async () => {
    const { page, graphiql } = await openGraphiql(app);
    const { licenseFile, diplomaFile, certificationFile, ...texts } = aDoctor();
    await graphiql.openTab('RegisterDoctor');
    const nulls = { licenseFile: null, diplomaFile: null, certificationFile: null };
    await graphiql.edit('Variables', { input: { ...texts, ...nulls } });

    await page.getByLabel('licenseFile').setInputFiles(picked(licenseFile));
    await page.getByLabel('diplomaFile').setInputFiles(picked(diplomaFile));
    await page.getByLabel('certificationFile').setInputFiles(picked(certificationFile));
    const { data } = await graphiql.run();

    const profile = data?.registerDoctor?.profile as Record<string, string>;
    const urls = [profile.licenseFileUrl, profile.diplomaFileUrl, profile.certificationUrl];
    for (const [index, { bytes }] of [licenseFile, diplomaFile, certificationFile].entries()) {
      expect((await send(urls[index] ?? '')).bytes).toEqual(bytes);
    }
  });

  test('GraphiQL offers files only for null variables', async () => {
    const { page, graphiql } = await openGraphiql(app);
    const files = page.getByRole('form', { name: 'Files for this operation' });

    expect(await files.isHidden()).toBe(true);
    await graphiql.openTab('RegisterDoctor');
    await files.waitFor();
    await graphiql.edit('Variables', { input: { name: 'Dr. Ada', licenseFile: null } });
    await expectLabels(page, ['licenseFile']);
    await graphiql.openTab('Logout');
    await files.waitFor({ state: 'hidden' });
  });

  test('GraphiQL sends the headers of the Headers editor', async () => {
    const { page, graphiql } = await openGraphiql(app);
    const patients = [aPatient(), aPatient()];
    await graphiql.openTab('RegisterPatient');
    const tokens: unknown[] = [];
    for (const input of patients) {
      await graphiql.edit('Variables', { input });
      tokens.push((await graphiql.run()).data?.registerPatient?.token);
    }

    await graphiql.openTab('Me');
    expect((await graphiql.run()).errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
    await graphiql.edit('Headers', { authorization: `Bearer ${tokens[0]}` });
    await page.getByLabel('Send the latest access token').check();
    expect((await graphiql.run()).data?.me).toMatchObject({ email: patients[0]?.email, role: 'PATIENT' });
  });

  test('GraphiQL sends the latest token with every operation, if asked to, until the logout', async () => {
    const { page, graphiql } = await openGraphiql(app);
    const patient = aPatient();
    const offer = page.getByLabel('Send the latest access token with every operation');
    expect(await offer.isHidden()).toBe(true);
    await graphiql.openTab('RegisterPatient');
    await graphiql.edit('Variables', { input: patient });
    await graphiql.run();

    await offer.check();
    await graphiql.openTab('Me');
    expect((await graphiql.run()).data?.me).toMatchObject({ email: patient.email });
    expect(await kept(page)).toBe('[{},{},""]');

    await graphiql.openTab('Logout');
    expect((await graphiql.run()).data?.logout).toEqual({ message: 'Logged out' });
    expect(await offer.isHidden()).toBe(true);
    expect(await offer.isChecked()).toBe(false);
    await graphiql.openTab('Me');
    expect((await graphiql.run()).errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
  });

  test('GraphiQL shows the descriptions of the schema', async () => {
    const { page } = await openGraphiql(app);

    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    const explorer = page.locator('.graphiql-doc-explorer');
    await explorer.getByText('Mutation', { exact: true }).click();
    await explorer.getByText('registerDoctor', { exact: true }).click();

    const [, description = ''] =
      /"""([^"]+)"""\s+registerDoctor\(/.exec(readFileSync('schema/schema.graphql', 'utf8')) ?? [];
    expect(description).not.toBe('');
    await explorer.getByText(description.trim()).waitFor();
  });

  test('the additions to GraphiQL are accessible in light and dark mode', async () => {
    const { page, graphiql } = await openGraphiql(app);
    await graphiql.openTab('RegisterPatient');
    await graphiql.edit('Variables', { input: aPatient() });
    await graphiql.run();
    await graphiql.openTab('RegisterDoctor');
    await page.locator('#files').waitFor();

    expect(await page.locator('#authorization').isVisible()).toBe(true);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityProblems(page, 'header')).toEqual([]);
    }
  });

  test('the additions to GraphiQL follow its colour dialog', async () => {
    const { page } = await openGraphiql(app, { colorScheme: 'dark' });
    const scheme = () => page.locator('header').evaluate((header) => getComputedStyle(header).colorScheme);

    expect(await scheme()).toBe('light dark');
    await page.getByRole('button', { name: 'Open settings dialog' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Light', exact: true }).click();
    await eventually(async () => expect(await scheme()).toBe('light'));
    await page.getByRole('dialog').getByRole('button', { name: 'Dark', exact: true }).click();
    await eventually(async () => expect(await scheme()).toBe('dark'));
  });
});

describe('GraphiQL without introspection', () => {
  const app = useTestApp({ PAGES: 'on', GRAPHQL_INTROSPECTION: 'off' }, undefined, ...REAL_TIME);

  test('GraphiQL says accessibly that introspection is off, and still runs operations', async () => {
    const { page, graphiql } = await openGraphiql(app);

    expect(await page.getByText('Introspection is off here').isVisible()).toBe(true);
    expect(await accessibilityProblems(page, 'header')).toEqual([]);
    await graphiql.openTab('RegisterPatient');
    expect((await graphiql.run()).data?.registerPatient?.token).toMatch(TOKEN);
    expect(await page.evaluate(askedTimes)).toBe(1);
  });
});

/** How often a page has asked the GraphQL API. */
const askedTimes = (): number =>
  performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/graphql')).length;

async function expectLabels(page: Page, labels: string[]): Promise<void> {
  await page.waitForFunction(
    (count) => document.querySelectorAll('#files input').length === count,
    labels.length,
  );
  const texts = await page.locator('#files label').allTextContents();
  expect(texts.map((text) => text.trim())).toEqual(labels);
}
