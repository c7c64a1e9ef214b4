import type { Page } from 'playwright-core';
import { de } from '../../pages/people/language/de.ts';
import { en } from '../../pages/people/language/en.ts';
import { aDoctor, aPatient } from '../support/people.ts';
import { useBrowser } from './support/browser.ts';
import { accessibilityProblems, overflowPixels } from './support/pages.ts';
import { usePeoplePages } from './support/people-pages.ts';

const browser = useBrowser();
const pages = usePeoplePages();
const GERMAN = { locale: 'de-AT', timezoneId: 'UTC', viewport: { width: 320, height: 844 } };

/** The texts of a language that are always the same, by their place. */
function textsOf(texts: object, place = ''): Map<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([name, text]) => {
      const here = `${place}.${name}`;
      if (typeof text === 'object') {
        return [...textsOf(text, here)];
      }
      if (typeof text === 'function') {
        return text.length === 0 ? [[here, String(text())] as const] : [];
      }
      return [[here, String(text)] as const];
    }),
  );
}

const german = textsOf(de);
const ENGLISH = new Set(
  [...textsOf(en)].filter(([place, text]) => german.get(place) !== text).map(([, text]) => text),
);
/** What a page says in English, to the eye and to screen readers. */
const englishOn = async (page: Page): Promise<string[]> => {
  const said = await page.evaluate(() => [
    document.title,
    ...document.body.innerText.split('\n'),
    ...[...document.querySelectorAll('[aria-label]')].map((it) => it.getAttribute('aria-label') ?? ''),
  ]);
  return said.filter((text) => ENGLISH.has(text.trim()) && text.trim() !== 'English');
};

test('texts that are the same in both languages are names', () => {
  const same = [...textsOf(en)].filter(([place, text]) => german.get(place) === text);
  expect(same.map(([, text]) => text)).toEqual(['Name', 'Passkeys']);
  expect(ENGLISH.size).toBeGreaterThan(150);
});

test('each view of a German browser is German, with its errors, and fits a telephone', async () => {
  const page = await browser.open(pages.view('/login'), GERMAN);
  const title = (place: keyof typeof de.titles) =>
    page.getByRole('heading', { level: 1, name: de.titles[place], exact: true }).waitFor();
  for (const [place, button, problem] of [
    ['/login', de.login.logIn, de.errors.INVALID_CREDENTIALS()],
    ['/register/patient', de.register.submit, de.form.wrong(3)],
    ['/register/doctor', de.register.submit, de.form.wrong(9)],
    ['/forgotten', de.login.sendLink, de.errors.NOT_FOUND()],
    ['/confirm?token=used', de.login.confirmAddress, de.errors.NOT_FOUND()],
    ['/reset?token=used', de.login.setPassword, de.form.wrong(1)],
  ] as const) {
    await page.goto(pages.view(place));
    await title(place.split('?')[0] as keyof typeof de.titles);
    if (place === '/login' || place === '/forgotten') {
      await page.getByLabel(de.fields.email).fill(aPatient().email);
    }
    if (place === '/login' || place === '/reset?token=used') {
      await page
        .getByLabel(/passwort/i)
        .first()
        .fill(aPatient().password);
    }
    await page.getByRole('button', { name: button, exact: true }).click();
    await page.getByRole('alert').getByText(problem).first().waitFor();
    expect([place, await englishOn(page), await overflowPixels(page)]).toEqual([place, [], 0]);
    expect(await accessibilityProblems(page)).toEqual([]);
  }
  await page
    .getByText(de.rules.expired({ limit: '', field: 'token' }))
    .first()
    .waitFor();
  await page.getByRole('link', { name: de.navigation['/help'] }).click();
  await page.getByRole('heading', { level: 2, name: 'Zwei Schritte sind sicherer als einer' }).waitFor();
  expect([await englishOn(page), await accessibilityProblems(page)]).toEqual([[], []]);
  await browser.takeProblems();
});

test('labels, errors, dates and sizes follow the chosen language, also after a reload', async () => {
  const pdf = () => new Blob(['%PDF-1.7\n%%EOF\n'], { type: 'application/pdf' });
  const doctor = aDoctor();
  const files = { licenseFile: pdf(), diplomaFile: pdf(), certificationFile: pdf() };
  expect((await pages.client().registerDoctor({ ...doctor, ...files })).ok).toBe(true);
  const page = await browser.open(pages.view('/login'), GERMAN);
  await page.getByLabel(de.fields.email).fill(doctor.email);
  await page.getByLabel(de.fields.password).fill('not the password');
  await page.getByRole('button', { name: de.login.logIn, exact: true }).click();
  await page.getByRole('alert').getByText(de.errors.INVALID_CREDENTIALS()).waitFor();
  const language = () => page.evaluate(() => document.documentElement.lang);
  expect(await language()).toBe('de');
  await page.getByRole('button', { name: 'English' }).click();
  await page.getByRole('alert').getByText(en.errors.INVALID_CREDENTIALS()).waitFor();
  expect([await language(), await page.title()]).toEqual(['en', 'Log in – Example practice']);
  // What was typed is still there.
  expect(await page.getByLabel('E-mail').inputValue()).toBe(doctor.email);
  await page.getByLabel('Password').fill(doctor.password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page
    .getByText(/^Since [A-Z][a-z]{2} \d+, \d{4}, \d+:\d\d [AP]M from /)
    .first()
    .waitFor();

  await page.getByRole('button', { name: 'Deutsch' }).click();
  await page.getByRole('status').getByText(de.session.begun(doctor.name)).waitFor();
  await page
    .getByText(/^Seit \d\d\.\d\d\.\d{4}, \d\d:\d\d von /)
    .first()
    .waitFor();
  expect(await englishOn(page)).toEqual([]);
  await page.reload();
  await page.getByRole('heading', { name: de.verification.PENDING.title }).waitFor();
  expect([await language(), await englishOn(page)]).toEqual(['de', []]);
  await browser.takeProblems();
});
