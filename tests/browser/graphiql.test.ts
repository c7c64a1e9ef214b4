import { readdirSync, readFileSync } from 'node:fs';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { send } from '../support/http.ts';
import { aDoctor, aPatient } from '../support/people.ts';
import { REAL_TIME, useTestApp } from '../support/test-app.ts';
import { useBrowser } from './support/browser.ts';
import { type Answer, useGraphiql } from './support/graphiql.ts';
import { accessibilityProblems, overflowPixels, picked } from './support/pages.ts';

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

  test('GraphiQL has a tab for every operation that needs no dialog of a passkey, where the first Run succeeds unless it needs a reviewer, a mail or a second factor', async () => {
    const { page, graphiql } = await openGraphiql(app);
    const files = readdirSync('schema/operations').map((name) =>
      readFileSync(`schema/operations/${name}`, 'utf8'),
    );
    const names = [...files.join('\n').matchAll(/^(?:query|mutation) (\w+)/gm)].map(([, name]) => name);
    const tabs = await page.locator('.graphiql-tab-button').allTextContents();
    expect(names.length).toBeGreaterThan(7);
    expect(tabs[0]).toBe('RegisterPatient');
    // Only a browser can fill these in.
    const ofDialogs = /^(?:Passkey|Add|LoginWith)\w*(?:Options|Passkey)$/;
    expect([...tabs].sort()).toEqual(names.filter((name = '') => !ofDialogs.test(name)).sort());
    expect(names.filter((name = '') => ofDialogs.test(name))).toHaveLength(5);
    const reserved: string[] = [];
    const answers: Record<string, Answer['data']> = {};

    for (const tab of tabs) {
      await graphiql.openTab(tab);
      const [firstLine = ''] = (await graphiql.text('Operation')).split('\n');
      if (firstLine.startsWith('# ')) {
        reserved.push(tab);
        continue;
      }
      const { data, errors } = await graphiql.run();
      expect([tab, errors]).toEqual([tab, undefined]);
      answers[tab] = data;
    }

    expect(reserved).toEqual([
      ...['StepUp', 'MyTwoFactor', 'EnableTwoFactor', 'ConfirmTwoFactor', 'RenewRecoveryCodes'],
      ...['DisableTwoFactor', 'CompleteLogin', 'MyPasskeys', 'RenamePasskey', 'RemovePasskey'],
      ...['RequestEmailVerification', 'ChangeEmail', 'VerifyEmail', 'RequestPasswordReset', 'ResetPassword'],
      ...['Invitation', 'ResubmitDocuments', 'DoctorsForReview', 'DoctorForReview', 'DecideOnDoctor'],
    ]);
    expect(answers.RegisterPatient?.registerPatient?.token).toMatch(TOKEN);
    expect(answers.Login?.login?.account).toEqual(answers.RegisterPatient?.registerPatient?.account);
    expect(answers.Me?.me).toMatchObject({ role: 'PATIENT' });
    expect(answers.RevokeToken).toEqual({ revokeToken: true });
    expect(answers.RegisterDoctor?.registerDoctor?.account).toMatchObject({ role: 'DOCTOR' });
    const profile = answers.RegisterDoctor?.registerDoctor?.profile as Record<string, string>;
    const license = await send(profile.licenseFileUrl ?? '');
    expect(license.headers.get('content-type')).toBe('application/pdf');
    expect(license.text).toContain('Example license');
    expect((await send(profile.certificationUrl ?? '')).text).toContain('Example certification');
    expect(await kept(page)).toBe('[{},{},""]');
    expect(page.url()).toBe(`${app.url}/graphql`);
  });

  test('a registration can be run again and again, and variables that the user has edited stay', async () => {
    const { graphiql } = await openGraphiql(app);
    const first = await graphiql.run();
    const second = await graphiql.run();

    expect(first.data?.registerPatient?.token).toMatch(TOKEN);
    expect(second.data?.registerPatient?.token).toMatch(TOKEN);
    expect(second.data?.registerPatient?.account).not.toEqual(first.data?.registerPatient?.account);
    const own = { input: aPatient() };
    await graphiql.edit('Variables', own);
    await graphiql.run();
    await graphiql.openTab('Me');
    await graphiql.openTab('RegisterPatient');
    expect(JSON.parse(await graphiql.text('Variables'))).toEqual(own);
  });

  test('GraphiQL registers a doctor with three picked files', async () => {
    const { page, graphiql } = await openGraphiql(app);
    const { licenseFile, diplomaFile, certificationFile, ...texts } = aDoctor();
    await graphiql.openTab('RegisterDoctor');
    const nulls = { licenseFile: null, diplomaFile: null, certificationFile: null };
    await graphiql.edit('Variables', { input: { ...texts, ...nulls } });

    await page.getByLabel('licenseFile', { exact: true }).setInputFiles(picked(licenseFile));
    await page.getByLabel('diplomaFile', { exact: true }).setInputFiles(picked(diplomaFile));
    await page.getByLabel('certificationFile', { exact: true }).setInputFiles(picked(certificationFile));
    const { data } = await graphiql.run();

    const profile = data?.registerDoctor?.profile as Record<string, string>;
    const urls = [profile.licenseFileUrl, profile.diplomaFileUrl, profile.certificationUrl];
    for (const [index, { bytes }] of [licenseFile, diplomaFile, certificationFile].entries()) {
      expect((await send(urls[index] ?? '')).bytes).toEqual(bytes);
    }
  });

  test('a file is sent only for the operation that it was picked for, and can be removed', async () => {
    const { page, graphiql } = await openGraphiql(app);
    const license = page.getByLabel('licenseFile', { exact: true });
    const shownName = () => license.evaluate((input: HTMLInputElement) => input.files?.[0]?.name);
    await graphiql.openTab('RegisterDoctor');
    await license.setInputFiles(picked({ name: 'secret.pdf', bytes: aDoctor().licenseFile.bytes }));

    await graphiql.openTab('ResubmitDocuments');
    expect(await shownName()).toBe('license.pdf');
    const names = await page.evaluateHandle(noteSentFiles);
    await graphiql.run();
    expect(await names.jsonValue()).toEqual(['license.pdf', 'diploma.pdf', 'certification.pdf']);
    expect(await browser.takeProblems()).toEqual([expect.stringContaining('401 (Unauthorized)')]);

    await graphiql.openTab('RegisterDoctor');
    expect(await shownName()).toBe('secret.pdf');
    await page.getByRole('button', { name: 'Send no licenseFile' }).click();
    expect(await shownName()).toBeUndefined();
    expect((await graphiql.run()).errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
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

  test('GraphiQL sends the headers of the Headers editor rather than the latest token', async () => {
    const { graphiql } = await openGraphiql(app);
    const patients = [aPatient(), aPatient()];
    const tokens: unknown[] = [];
    for (const input of patients) {
      await graphiql.edit('Variables', { input });
      tokens.push((await graphiql.run()).data?.registerPatient?.token);
    }

    await graphiql.openTab('Me');
    expect((await graphiql.run()).data?.me).toMatchObject({ email: patients[1]?.email });
    await graphiql.edit('Headers', { authorization: `Bearer ${tokens[0]}` });
    expect((await graphiql.run()).data?.me).toMatchObject({ email: patients[0]?.email, role: 'PATIENT' });
  });

  test('GraphiQL visibly sends the latest token with every operation, unless told not to, until the logout', async () => {
    const { page, graphiql } = await openGraphiql(app);
    const patient = aPatient();
    const offer = page.getByLabel('Send the latest access token with every operation');
    expect(await offer.isHidden()).toBe(true);
    await graphiql.edit('Variables', { input: patient });
    await graphiql.run();

    await page.getByText(`Logged in as ${patient.email}`).waitFor();
    expect(await offer.isChecked()).toBe(true);
    await graphiql.openTab('Me');
    expect((await graphiql.run()).data?.me).toMatchObject({ email: patient.email });
    await offer.uncheck();
    expect((await graphiql.run()).errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
    await offer.check();

    await graphiql.openTab('Logout');
    expect((await graphiql.run()).data?.logout).toEqual({ message: 'Logged out' });
    await offer.waitFor({ state: 'hidden' });
    await graphiql.openTab('Me');
    expect((await graphiql.run()).errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
    expect(await kept(page)).toBe('[{},{},""]');
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

  test.each(['light', 'dark'] as const)(
    'GraphiQL is accessible with a token and files, %s',
    async (colorScheme) => {
      const { page, graphiql } = await openGraphiql(app, { colorScheme });
      await graphiql.run();
      await graphiql.openTab('RegisterDoctor');
      await graphiql.run();

      expect(await page.locator('#files').isVisible()).toBe(true);
      expect(await page.locator('#authorization').isVisible()).toBe(true);
      expect(await accessibilityProblems(page)).toEqual([]);
    },
  );

  test('on a telephone, the tabs, Run and the result are in sight, and GraphiQL is accessible', async () => {
    const { page, graphiql } = await openGraphiql(app, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
    });
    const isInSight = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => {
          const { top, right, bottom, left } = element.getBoundingClientRect();
          return top >= 0 && left >= 0 && right <= innerWidth && bottom <= innerHeight;
        });

    expect(await graphiql.run()).toHaveProperty('data.registerPatient');
    const parts = ['.graphiql-tab-active', '.graphiql-execute-button', '.result-window', '.graphiql-sidebar'];
    for (const part of parts) {
      expect([part, await isInSight(part)]).toEqual([part, true]);
    }
    await graphiql.openTab('RegisterDoctor');
    expect(await isInSight('.graphiql-tab-active')).toBe(true);
    expect(await overflowPixels(page)).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    expect(await isInSight('.graphiql-doc-explorer-title')).toBe(true);
  });

  test('GraphiQL is drawn under its policy: lines of the editors stand one below the other', async () => {
    const { page, graphiql } = await openGraphiql(app);
    await graphiql.run();

    for (const editor of ['.graphiql-query-editor', '.graphiql-editor-tool', '.result-window']) {
      // The editor draws its text in a later frame.
      await eventually(async () => {
        const tops = await page
          .locator(`${editor} .view-line`)
          .evaluateAll((lines) => lines.map((line) => Math.round(line.getBoundingClientRect().top)));
        expect(tops.length).toBeGreaterThan(3);
        expect(new Set(tops).size).toBe(tops.length);
      });
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

  test('GraphiQL formats an operation and completes names of the schema', async () => {
    const { page, graphiql } = await openGraphiql(app);
    await graphiql.openTab('Me');
    await page.locator('.graphiql-query-editor textarea').focus();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText('query Mine{me{ema');
    await page.keyboard.press('Control+Space');
    await page.locator('.suggest-widget .monaco-list-row', { hasText: 'email' }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.insertText('}}');
    await page.getByRole('button', { name: /^Prettify query/ }).click();

    await eventually(async () =>
      expect((await graphiql.text('Operation')).trim()).toBe('query Mine {\n  me {\n    email\n  }\n}'),
    );
  });
});

describe('GraphiQL without introspection', () => {
  const app = useTestApp({ PAGES: 'on', GRAPHQL_INTROSPECTION: 'off' }, undefined, ...REAL_TIME);

  test('GraphiQL says accessibly that introspection is off, and still runs operations', async () => {
    const { page, graphiql } = await openGraphiql(app);

    expect(await page.getByText('Introspection is off here').isVisible()).toBe(true);
    expect(await accessibilityProblems(page)).toEqual([]);
    await graphiql.openTab('RegisterPatient');
    expect((await graphiql.run()).data?.registerPatient?.token).toMatch(TOKEN);
    expect(await page.evaluate(askedTimes)).toBe(1);
  });
});

/** Runs in the browser: the names of all files that the page sends from now on. */
function noteSentFiles(): string[] {
  const names: string[] = [];
  const { fetch } = globalThis;
  globalThis.fetch = (url, init) => {
    const values = init?.body instanceof FormData ? [...init.body.values()] : [];
    names.push(...values.filter((value) => value instanceof File).map(({ name }) => name));
    return fetch(url, init);
  };
  return names;
}

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
