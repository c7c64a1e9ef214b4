import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { parseSync } from 'vite';
import { CONTENT } from '../support/documents.ts';
import { newStaffReviewer, OPERATOR_API, type Staff, waitingStaff } from '../support/operators.ts';
import { REAL_TIME, useTestApp } from '../support/test-app.ts';
import { useBrowser } from './support/browser.ts';
import { expectAccessible, focused } from './support/pages.ts';
import { aRegisteredDoctor, shown } from './support/reviews.ts';

const browser = useBrowser();
const app = useTestApp(OPERATOR_API, undefined, ...REAL_TIME);
let reviewer: Staff;
beforeAll(async () => {
  reviewer = await newStaffReviewer(app);
});
beforeEach(async () => {
  await app.database.profiles.deleteMany({});
});

const GERMAN = { locale: 'de-AT', timezoneId: 'UTC', viewport: { width: 390, height: 844 } };
const FOLDER = 'pages/console';
/** What is the same in both languages. */
const NAMES = ['auth-gateway', 'Code', 'Status'];
const isText = (text: unknown): text is string =>
  typeof text === 'string' && /\p{L}/u.test(text) && !NAMES.includes(text.trim());

/** A node of a syntax tree (ESTree), with what is read here. */
interface Node {
  type: string;
  name?: string | Node;
  value?: unknown;
  callee?: Node;
  arguments?: Node[];
  elements?: Node[];
}

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string';
const nodesIn = (node: Node): Node[] => [
  node,
  ...Object.values(node)
    .flat()
    .flatMap((child: unknown) => (isNode(child) ? nodesIn(child) : [])),
];

/** What the sources say that have texts in both languages. */
const nodes = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !name.includes('generated'))
  .map((name) => ({ name, source: readFileSync(path.join(FOLDER, name), 'utf8') }))
  .filter(({ source }) => source.includes('language.tsx'))
  .flatMap(({ name, source }) => nodesIn(parseSync(name, source).program as unknown as Node));

/** Texts in one language, which the compiler does not notice: between tags, and in attributes that people read. */
const SHOWN = ['alt', 'aria-label', 'caption', 'hint', 'label', 'placeholder', 'submit', 'title'];
const withoutGerman = nodes.flatMap(({ type, name, value }) => {
  if (type === 'JSXAttribute' && isNode(name) && isNode(value)) {
    return SHOWN.includes(String(name.name)) && isText(value.value) ? [value.value] : [];
  }
  return type === 'JSXText' && isText(value) ? [value] : [];
});

const nameOf = (node: Node | undefined) => (node?.type === 'Identifier' ? node.name : undefined);

/** The texts of both languages that are always the same. */
const pairs = nodes.flatMap((node) => {
  const texts = (nameOf(node.callee) === 'say' ? node.arguments : node.elements) ?? [];
  const [english, german] = texts.map((text) => text?.value);
  return texts.length === 2 && isText(english) && isText(german) ? [[english, german] as const] : [];
});
const ENGLISH = new Set(pairs.flatMap(([english, german]) => (english === german ? [] : [english])));

/** What a page says in English, to the eye and to screen readers. */
const englishOn = async (page: Page): Promise<string[]> => {
  const said = await page.evaluate(() => [
    document.title.split(' · ')[0] ?? '',
    ...document.body.innerText.split(/\n|…/),
    ...['aria-label', 'title', 'alt'].flatMap((name) =>
      [...document.querySelectorAll(`[${name}]`)].map((it) => it.getAttribute(name) ?? ''),
    ),
  ]);
  return said.filter((text) => ENGLISH.has(text.trim()));
};

/** Looks at a page in both widths and schemes. */
async function expectGerman(page: Page): Promise<void> {
  expect(await englishOn(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('de');
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    await expectAccessible(page);
  }
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

async function logIn(page: Page): Promise<void> {
  await page.getByLabel('E-Mail').fill(reviewer.email);
  await page.getByLabel('Passwort').fill(reviewer.password);
  await press(page, 'Anmelden');
  await page.getByLabel('Code').fill(reviewer.recoveryCodes.pop() ?? '');
  await press(page, 'Weiter');
  await page.getByRole('heading', { level: 1, name: 'Prüfungen' }).waitFor();
}

test('no text of the review is in one language', () => {
  expect(withoutGerman).toEqual([]);
  expect(ENGLISH.size).toBeGreaterThan(80);
  expect(pairs.filter(([english, german]) => english === german)).toEqual([]);
});

test('a German browser gets a German login, with its errors and with the way to a new password', async () => {
  const page = await browser.open(`${app.url}/console`, GERMAN);
  await page.getByText('Passwort vergessen').waitFor();
  await press(page, 'Anmelden');
  await page.getByRole('alert').getByText('Bitte ausfüllen.').first().waitFor();
  expect(await page.getByText('Bitte ausfüllen.').count()).toBe(2);
  await expectGerman(page);
  await page.getByLabel('E-Mail').fill(reviewer.email);
  await page.getByLabel('Passwort').fill('not the password');
  await press(page, 'Anmelden');
  await page.getByRole('alert').getByText('Es gibt kein Konto mit dieser E-Mail-Adresse').waitFor();
  await page.getByLabel('Passwort').fill(reviewer.password);
  await press(page, 'Anmelden');
  await page.getByLabel('Code').fill('000000');
  await press(page, 'Weiter');
  await page.getByText('Das ist nicht richtig.').waitFor();
  await expectGerman(page);
  await press(page, 'Abbrechen');
  await page.getByLabel('Passwort').waitFor();
  await page.route('**/operators/graphql', (route) => route.abort());
  await page.getByLabel('E-Mail').fill(reviewer.email);
  await press(page, 'Anmelden');
  await page.getByRole('alert').getByText('Der Dienst antwortet nicht.').waitFor();
  await browser.takeProblems();
});

test('a German set-up says what to do, and why a link is refused', async () => {
  const { token } = await waitingStaff(app, 'reviewer');
  const page = await browser.open(`${app.url}/console#set-up=${token}`, GERMAN);
  await press(page, 'Beginnen');
  await page.getByRole('img', { name: 'QR-Code' }).waitFor();
  await page.getByLabel('Neues Passwort').fill('short');
  await press(page, 'Fertig');
  await page.getByText('Bitte mindestens 8 Zeichen.').waitFor();
  await expectGerman(page);
  await page.goto(`${app.url}/console#set-up=${'x'.repeat(43)}`);
  await page.reload();
  await press(page, 'Beginnen');
  await page.getByRole('alert').getByText('Das gilt nicht mehr.').waitFor();
  await expectGerman(page);
  await browser.takeProblems();
});

test('a review in German: documents, viewer, decisions, errors, dates and keys', async () => {
  const file = (name: 'png' | 'pdf' | 'docx' | 'doc') => ({ name: `document.${name}`, bytes: CONTENT[name] });
  const files = { licenseFile: file('png'), diplomaFile: file('docx'), certificationFile: file('doc') };
  const doctor = await aRegisteredDoctor(app, files);
  const page = await browser.open(`${app.url}/console`, GERMAN);
  await logIn(page);
  await shown(page, doctor.name).waitFor();
  await page.getByRole('img', { name: 'Approbation', exact: true }).waitFor();
  await page.getByRole('region', { name: 'Diplom, nur Text' }).getByText('Licence').waitFor();
  await page.getByText('Zertifikat lässt sich nicht anzeigen. Dokumente dieser Art').waitFor();
  await page.getByRole('link', { name: 'Zertifikat speichern' }).waitFor();
  await page.getByLabel('Tasten: j weiter').waitFor();
  await page
    .getByText(/^\d\d\.\d\d\.\d{4}, \d\d:\d\d$/)
    .first()
    .waitFor();
  await expectGerman(page);

  await shown(page, doctor.name).focus();
  await page.keyboard.press('r');
  const dialog = page.getByRole('dialog', { name: `Zulassung von ${doctor.name} ablehnen?` });
  await dialog.getByRole('button', { name: 'Ablehnen', exact: true }).click();
  await dialog.getByText('Bitte ausfüllen.').waitFor();
  await expectGerman(page);
  await dialog.getByLabel('Begründung').fill('x'.repeat(1_001));
  await dialog.getByRole('button', { name: 'Ablehnen', exact: true }).click();
  await dialog.getByText('Bitte höchstens 1000 Zeichen.').waitFor();
  await dialog.getByLabel('Begründung').fill('Abgeschnitten.');
  await dialog.getByRole('button', { name: 'Ablehnen', exact: true }).click();
  await page.getByText(`${doctor.name} ist abgelehnt.`).waitFor();
  await page.getByRole('heading', { name: 'Hier ist niemand' }).waitFor();
  await page.getByLabel('Status').selectOption('Abgelehnt');
  await shown(page, doctor.name).waitFor();
  await expectGerman(page);
  await page.getByRole('link', { name: 'Hilfe' }).click();
  await page.getByRole('heading', { name: 'Für Prüferinnen und Prüfer' }).waitFor();
  await expectGerman(page);
  await press(page, 'Abmelden');
  await page.getByText('Sie sind abgemeldet.').waitFor();
  await browser.takeProblems();
});

test('a reviewer chooses the language: notices and what was typed stay, also after a reload', async () => {
  const [first, second] = [await aRegisteredDoctor(app, {}), await aRegisteredDoctor(app, {})];
  const page = await browser.open(`${app.url}/console`, GERMAN);
  await page.getByLabel('E-Mail').fill(reviewer.email);
  await press(page, 'English');
  expect(await page.getByLabel('E-mail').inputValue()).toBe(reviewer.email);
  await press(page, 'Deutsch');
  await logIn(page);
  await shown(page, first.name).focus();
  await page.keyboard.press('a');
  const dialog = page.getByRole('dialog', { name: `Zulassung von ${first.name} bestätigen?` });
  await dialog.getByRole('button', { name: 'Bestätigen', exact: true }).click();
  await page.getByText(`${first.name} ist bestätigt.`).waitFor();
  await press(page, 'English');
  await page.getByText(`${first.name} is verified.`).waitFor();
  await page.getByRole('heading', { level: 1, name: 'Reviews' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Approve…' }).waitFor();
  expect(await page.evaluate(() => [document.documentElement.lang, document.title])).toEqual([
    'en',
    'Console · auth-gateway',
  ]);
  await press(page, 'Deutsch');
  await focused(page.getByRole('button', { name: 'English' }));
  await shown(page, second.name).waitFor();
  await expectGerman(page);
});
