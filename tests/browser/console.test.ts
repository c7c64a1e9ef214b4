import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { csvCell } from '../../pages/console/csv.ts';
import type { StoredOperatorActs } from '../../src/stores/operator-acts.ts';
import { emailLinkSettings } from '../support/email-links.ts';
import { authenticated } from '../support/expectations.ts';
import { send } from '../support/http.ts';
import { adminOf, newOperator, OPERATOR_API, type Staff, setUpTokenOf } from '../support/operators.ts';
import { aPatient, type Fields, freshEmail, freshPassword } from '../support/people.ts';
import { restApi } from '../support/rest-api.ts';
import { codeAt } from '../support/second-factor.ts';
import { type SmtpTestServer, startSmtpServer } from '../support/smtp-server.ts';
import { createTestApp, REAL_TIME, type TestApp } from '../support/test-app.ts';
import { useBrowser } from './support/browser.ts';
import { accessibilityProblems, expectAccessible, overflowPixels } from './support/pages.ts';
import { enterConsole } from './support/reviews.ts';

const browser = useBrowser();
let server: SmtpTestServer;
let app: TestApp;
let operator: Staff;
beforeAll(async () => {
  server = await startSmtpServer();
  const settings = { ...OPERATOR_API, ...emailLinkSettings(server.url), PAGES: 'off' };
  app = await createTestApp(settings, undefined, ...REAL_TIME);
  operator = await newOperator(app);
});
afterAll(async () => {
  await app.stop();
  await server.stop();
});

const register = async (fields: Fields = {}) => {
  const patient = aPatient(fields);
  const { account } = authenticated(
    await restApi(app.url, { 'User-Agent': HOSTILE }).registerPatient(patient),
  );
  return { ...patient, id: String(account.id) };
};

/** Markup, a formula, and characters that turn the text around. */
const HOSTILE = '<img src=x onerror=alert(1)>';
const TURNED = '=cmd|\u202Etxt.exe\u2066';

async function logIn(page: Page, staff: Staff = operator): Promise<void> {
  await enterConsole(page, staff);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
}

async function openConsole(staff?: Staff, options?: Parameters<typeof browser.open>[1]): Promise<Page> {
  const page = await browser.open(`${app.url}/console`, options);
  await logIn(page, staff);
  return page;
}

/** Opens the page of a person, found by a search. */
async function openPerson(page: Page, search: string, name: string): Promise<void> {
  await page.getByRole('link', { name: 'Accounts' }).click();
  await page.getByLabel('Name, e-mail or telephone').fill(search);
  await page.getByRole('button', { name: 'Find' }).click();
  await page.getByRole('link', { name }).click();
  await page.getByText('Last events').waitFor();
}

test('an operator is set up by a link, which a page that is only opened does not use up', async () => {
  const email = freshEmail();
  const made = await adminOf(
    app,
    ...['accounts', 'create', '--role', 'operator', '--name', 'Nina Ovice', '--email', email, '--json'],
  );
  const { token } = setUpTokenOf(made.json);
  const page = await browser.open(`${app.url}/console#set-up=${token}`);
  await page.getByRole('button', { name: 'Begin' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.getByRole('img', { name: 'QR code' }).waitFor();
  const secretKey = (await page.locator('main code').textContent()) ?? '';
  await page.getByLabel('New password').fill('short');
  await page.getByLabel('Code').fill('000000');
  await page.getByRole('button', { name: 'Finish' }).click();
  await page.getByText('must be at least').first().waitFor();
  const password = freshPassword();
  await page.getByLabel('New password').fill(password);
  await page.getByLabel('Code').fill(codeAt(secretKey, 0, Date.now()));
  await page.getByRole('button', { name: 'Finish' }).click();
  await page.getByRole('heading', { name: 'Keep these recovery codes' }).waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  const codes = ((await page.locator('.codes').textContent()) ?? '').split('\n');
  expect(codes).toHaveLength(10);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^recovery-codes-[\w-]+-\d{4}-\d\d-\d\d\.txt$/);
  const saved = await readFile(await download.path(), 'utf8');
  expect(saved).toMatch(/^Recovery codes of \S+, made on \d+ \w+ \d{4}\n\n/);
  expect(saved.trim().split('\n').slice(2)).toEqual(codes);
  await page.getByRole('button', { name: 'Print' }).waitFor();
  expect([await overflowPixels(page), ...(await accessibilityProblems(page))]).toEqual([0]);
  await page.getByRole('button', { name: 'I have kept them' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.getByText('The gateway works.').waitFor();
});

test('a login needs a code, a reload keeps it, and a logout ends it', async () => {
  const page = await browser.open(`${app.url}/console`);
  await page.getByLabel('E-mail').fill(operator.email);
  await page.getByText('auth-gateway admin accounts set-up-link').waitFor();
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('alert').getByText('Invalid credentials').waitFor();
  await logIn(page);
  await page.getByText('The gateway works.').waitFor();
  await page.reload();
  await page.getByText('The gateway works.').waitFor();
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByText('You are logged out.').waitFor();
  const other = await browser.open(`${app.url}/console`);
  await other.getByRole('button', { name: 'Log in' }).waitFor();
});

test('fifteen minutes without activity end a session', async () => {
  const page = await openConsole();
  await page.getByText('The gateway works.').waitFor();
  await page.evaluate(() => {
    const key = 'auth-gateway console';
    const stored = JSON.parse(sessionStorage.getItem(key) ?? '{}') as { activeAt: number };
    sessionStorage.setItem(key, JSON.stringify({ ...stored, activeAt: stored.activeAt - 900_001 }));
  });
  await page.reload();
  await page.getByText('You were logged out after 15 minutes without activity.').waitFor();
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
});

test('a person is found and helped: locked out, disabled and enabled, with a reason', async () => {
  const person = await register({ name: 'Helena Elpme' });
  const page = await openConsole();
  await openPerson(page, 'helena', 'Helena Elpme');
  for (const [button, submit, state] of [
    ['Disable the account', 'Disable', 'disabled'],
    ['Enable the account', 'Enable', 'active'],
  ] as const) {
    await page.getByRole('button', { name: `${button}…` }).click();
    const dialog = page.getByRole('dialog', { name: button });
    await dialog.getByRole('button', { name: submit, exact: true }).click();
    await dialog.getByRole('alert').getByText('The reason field is required.').waitFor();
    expect(await dialog.getByText('The reason field is required.').count()).toBe(1);
    const [hint, problem] = await Promise.all(
      ['One line.', 'The reason field'].map((text) => dialog.getByText(text).boundingBox()),
    );
    expect(problem?.y).toBeGreaterThanOrEqual((hint?.y ?? 0) + (hint?.height ?? 0));
    await dialog.getByLabel('Reason').fill('Asked by telephone');
    await dialog.getByRole('button', { name: submit, exact: true }).click();
    await page.getByText(`Done: ${button}.`).waitFor();
    await page.locator('.facts').getByText(state, { exact: true }).waitFor();
  }
  await page.getByRole('cell', { name: 'Asked by telephone' }).first().waitFor();
  expect(await app.database.accounts.findOne({ _id: person.id })).toMatchObject({ disabledAt: null });
});

test('of two operators on one account, the second sees that it has changed', async () => {
  await register({ name: 'Quentin Twofold' });
  const second = await newOperator(app);
  const [page, other] = [await openConsole(), await openConsole(second)];
  await openPerson(page, 'quentin', 'Quentin Twofold');
  await openPerson(other, 'quentin', 'Quentin Twofold');
  for (const one of [page, other]) {
    await one.getByRole('button', { name: 'Disable the account…' }).click();
    await one.getByRole('dialog').getByLabel('Reason').fill('Both at once');
    await one.getByRole('dialog').getByRole('button', { name: 'Disable', exact: true }).click();
  }
  await page.getByText('Done: Disable the account.').waitFor();
  await other.getByText('Somebody else has changed the account. Look at it again.').waitFor();
});

test('the second act that opens an account waits for another operator, who confirms it', async () => {
  const person = await register({ name: 'Gustav Guarded' });
  const second = await newOperator(app);
  const page = await openConsole();
  await openPerson(page, 'gustav', 'Gustav Guarded');
  await page.getByRole('button', { name: 'Mail a link for a new password…' }).click();
  await page.getByLabel('Reason').fill('Forgotten');
  await page.getByRole('button', { name: 'Mail the link' }).click();
  await page.getByText('Done: Mail a link').waitFor();
  const next = freshEmail();
  await page.getByRole('button', { name: 'Correct the e-mail…' }).click();
  await page.getByText('Another operator has to confirm').waitFor();
  await page.getByLabel('New e-mail').fill(next);
  await page.getByLabel('Reason').fill('A new address');
  await page.getByRole('button', { name: 'Ask another operator' }).click();
  await page.getByText('Another operator has to confirm it.', { exact: true }).waitFor();
  await confirmable(page, 'You have asked for it', 'Gustav Guarded');

  const other = await openConsole(second);
  await other.getByRole('link', { name: 'Waiting' }).click();
  const row = other.getByRole('row', { name: 'Gustav Guarded' });
  await row.getByText(next).waitFor();
  await row.getByRole('button', { name: 'Confirm…' }).click();
  await other.getByLabel('Reason').fill('I have called, too');
  await other.getByRole('button', { name: 'Confirm and do it' }).click();
  await other.getByText('Nothing waits.').waitFor();
  expect(await app.database.accounts.findOne({ _id: person.id })).toMatchObject({
    email: person.email,
    emailChange: { byOperator: true },
  });
});

/** What somebody who cannot confirm the act is told, on the page of the person and in the list. */
async function confirmable(page: Page, why: string, name: string): Promise<void> {
  await page.locator('.problem').getByText(why).waitFor();
  expect(await page.getByRole('button', { name: 'Confirm…' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Waiting' }).click();
  const row = page.getByRole('row', { name });
  await row.getByText(why).waitFor();
  await row.getByRole('button', { name: 'Decline…' }).waitFor();
  expect(await row.getByRole('button', { name: 'Confirm…' }).count()).toBe(0);
}

test('the data of a person is saved as a file, with a reason, also of somebody who is disabled', async () => {
  const person = await register({ name: 'Paula Personal' });
  const page = await openConsole();
  for (const disabledAt of [null, new Date()]) {
    await app.database.accounts.updateOne({ _id: person.id }, { $set: { disabledAt } });
    await page.goto(`${app.url}/console#/overview`);
    await page.goto(`${app.url}/console#/accounts/${person.id}`);
    await page.getByRole('button', { name: 'Save the data of this person…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save the data of this person' });
    await dialog.getByLabel('Reason').fill('Asked by letter');
    const saved = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    expect((await saved).suggestedFilename()).toBe(`account-${person.id}.json`);
    const data = JSON.parse(await readFile(await (await saved).path(), 'utf8'));
    expect(data).toMatchObject({ account: { id: person.id, email: person.email }, profile: null });
    await page.getByText('Done: Save the data of this person.').waitFor();
    await page.getByText('data export').first().waitFor();
  }
});

test('nobody is offered to confirm the act of somebody who is no operator any more', async () => {
  const { id } = await register({ name: 'Fiona Former' });
  const former = await newOperator(app);
  const asked = { act: 'reset link', reason: 'Lost', requestedBy: former.id } as const;
  const requested = { id: 'a', at: new Date(), ...asked };
  const expiresAt = new Date(Date.now() + 86_400_000);
  await app.database.db
    .collection<StoredOperatorActs>('operator_acts')
    .insertOne({ _id: id, changeId: 'b', done: [], requested, expiresAt });
  const page = await openConsole(await newOperator(app));
  await page.goto(`${app.url}/console#/accounts/${id}`);
  await page.getByRole('button', { name: 'Confirm…' }).waitFor();
  await app.database.accounts.updateOne({ _id: former.id }, { $set: { disabledAt: new Date() } });
  await page.getByRole('button', { name: 'Read again' }).click();
  await confirmable(page, 'is no operator any more', 'Fiona Former');
  await page.getByRole('button', { name: 'Decline…' }).click();
  await page.getByLabel('Reason').fill('Nobody is left who asks');
  await page.getByRole('button', { name: 'Decline', exact: true }).click();
  await page.getByText('Nothing waits.').waitFor();
});

test('closing says when the data is erased and that the address is taken until then', async () => {
  await register({ name: 'Clara Closing' });
  const page = await openConsole(await newOperator(app));
  await openPerson(page, 'clara', 'Clara Closing');
  await page.getByRole('button', { name: 'Close the account…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Close the account' });
  await dialog.getByText('All data is erased after 30 days, unless').waitFor();
  await dialog.getByText('Until then nobody else can register with its e-mail.').waitFor();
});

test('a list of events names programs in words, and does not repeat what all its events have', async () => {
  const { id } = await register({ name: 'Uma Useragent' });
  const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
  await app.database.db
    .collection('audit_events')
    .updateMany({ accountId: id }, { $set: { userAgent: firefox } });
  const staff = await newOperator(app);
  const page = await openConsole(staff);
  await page.goto(`${app.url}/console#/accounts/${id}`);
  const events = page.getByRole('table', { name: 'Last events' });
  const program = events.getByText('Firefox on Windows').first();
  await program.waitFor();
  expect(await events.getByText(firefox).first().isVisible()).toBe(false);
  await program.click();
  await events.getByText(firefox).first().waitFor();
  await page.reload();
  await events.getByRole('cell', { name: 'you', exact: true }).first().waitFor();
  expect(await events.getByRole('link').count()).toBe(0);
  await page.getByRole('link', { name: 'Audit trail' }).click();
  for (const [field, head] of [
    ['Account (id)', 'Account'],
    ['Operator or reviewer (id)', 'By'],
  ] as const) {
    const other = head === 'By' ? staff.id : id;
    await page.getByLabel(field).fill(other);
    await page.getByRole('button', { name: 'Find' }).click();
    const found = page.getByRole('table', { name: 'Events' });
    await found.getByRole('columnheader', { name: head, exact: true }).waitFor({ state: 'detached' });
    expect(await found.getByRole('link', { name: other }).count()).toBe(0);
    await page.getByLabel(field).fill('');
  }
});

test('a change needs a proof of the last fifteen minutes', async () => {
  const staff = await newOperator(app);
  await register({ name: 'Stefan Stepup' });
  const page = await openConsole(staff);
  await openPerson(page, 'stefan', 'Stefan Stepup');
  const authTime = new Date(Date.now() - 901_000);
  await app.database.tokens.updateMany({ accountId: staff.id }, { $set: { authTime } });
  await page.getByRole('button', { name: 'Unlock the account…' }).click();
  await page.getByLabel('Reason').fill('Locked out');
  await page.getByRole('button', { name: 'Unlock', exact: true }).click();
  const proof = page.getByRole('dialog', { name: 'Is it still you?' });
  await proof.getByLabel('Password').fill(staff.password);
  await proof.getByLabel('Code').fill(staff.recoveryCodes.pop() ?? '');
  await proof.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Unlock', exact: true }).click();
  await page.getByText('Done: Unlock the account.').waitFor();
});

test('hostile names, reasons and programs are texts, in which hidden characters are shown', async () => {
  const { id } = await register({ name: HOSTILE });
  await app.database.accounts.updateOne({ _id: id }, { $set: { name: `${HOSTILE}${TURNED}` } });
  await app.database.db
    .collection('audit_events')
    .updateMany({ accountId: id }, { $set: { reason: `javascript:alert(1) ${TURNED}`, userAgent: HOSTILE } });
  const page = await openConsole();
  await page.goto(`${app.url}/console#/accounts/${id}`);
  await page.getByText('Last events').waitFor();
  expect(await page.locator('h1 bdi').innerText()).toContain(`${HOSTILE}=cmd|U+202Etxt.exeU+2066`);
  expect(await page.locator('img').count()).toBe(0);
  await page.getByText('javascript:alert(1)').waitFor();
  const links = await page.evaluate(() => [...document.links].map(({ href }) => href));
  expect(links.filter((href) => !href.startsWith(`${app.url}/console#/`))).toEqual([]);
  expect(await overflowPixels(page)).toBe(0);
});

test('the coverage report is a file in which nothing is a formula', async () => {
  const { id } = await register({ name: 'Carl Overage' });
  await app.database.accounts.updateOne({ _id: id }, { $set: { name: '=HYPERLINK("http://evil")' } });
  const page = await openConsole();
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Patients' }).click();
  const download = await saving;
  expect(download.suggestedFilename()).toBe('without-second-factor-patient.csv');
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) {
    chunks.push(chunk as Buffer);
  }
  const text = Buffer.concat(chunks).toString();
  expect(text).toContain(`"${id}","'=HYPERLINK(""http://evil"")",`);
  for (const [cell, safe] of [
    ['=1', `"'=1"`],
    ['+1', `"'+1"`],
    ['-1', `"'-1"`],
    ['@a', `"'@a"`],
    ['\ta', `"'\ta"`],
    ['\ra', `"'\ra"`],
    ['\n=1', `"'\n=1"`],
    ...['＝', '＋', '－', '＠'].map((sign) => [`${sign}1`, `"'${sign}1"`]),
    ['a', '"a"'],
  ]) {
    expect(csvCell(cell ?? '')).toBe(safe);
  }
});

test('all pages are accessible in light and dark mode, fit a narrow screen, and work by keyboard', async () => {
  await register({ name: 'Axel Narrow' });
  const page = await openConsole(operator, { viewport: { width: 390, height: 844 } });
  await page.getByRole('table', { name: 'Active accounts' }).waitFor();
  await expectAccessible(page);
  await openPerson(page, 'axel', 'Axel Narrow');
  await expectAccessible(page);
  const opener = page.getByRole('button', { name: 'Unlock the account…' });
  await opener.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Unlock the account' }).waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await opener.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.getByRole('link', { name: 'Audit trail' }).click();
  await page.getByRole('button', { name: 'Find' }).click();
  await page.getByRole('table', { name: 'Events' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Waiting' }).click();
  await page.getByText('Waiting for another operator').waitFor();
  await expectAccessible(page);
});

test('an account that does not exist, a search that is refused, and an ended session say so', async () => {
  const staff = await newOperator(app);
  const page = await openConsole(staff);
  await page.goto(`${app.url}/console#/accounts/%`);
  await page.getByText('No account has this id.').waitFor();
  await page.goto(`${app.url}/console#/accounts/nobody`);
  await page.getByText('No account has this id.').waitFor();
  await page.getByRole('link', { name: 'Accounts' }).click();
  await page.getByLabel('Name, e-mail or telephone').fill('zzzzzz');
  await page.getByRole('button', { name: 'Find' }).click();
  await page.getByText('Nobody was found.').waitFor();
  for (const short of ['zz', 'z', 'zz zz', '+4', 'é']) {
    await page.getByLabel('Name, e-mail or telephone').fill(short);
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('Nobody was found: a search needs at least three characters').waitFor();
    await page.getByLabel('Name, e-mail or telephone').fill('zzzzzz');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('Nobody was found.').waitFor();
  }
  await app.database.tokens.deleteMany({ accountId: staff.id });
  await page.getByRole('button', { name: 'Find' }).click();
  await page.getByText('Your session has ended. Log in again.').waitFor();
});

test('a page that cannot be read says so, and is read again', async () => {
  const page = await openConsole();
  await page.getByText('The gateway works.').waitFor();
  await page.route('**/operators/graphql', (route) => route.abort());
  await page.getByRole('link', { name: 'Waiting' }).click();
  await page.getByRole('alert').getByText('The gateway does not answer.').waitFor();
  await page.unroute('**/operators/graphql');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Nothing waits.').waitFor();
  expect((await browser.takeProblems()).length).toBeGreaterThan(0);
});

test('the page loads nothing from elsewhere and nothing inline', async () => {
  const { headers, text } = await send(`${app.url}/console`);
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; worker-src 'self'; img-src 'self' data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  );
  expect(text).not.toMatch(/<script(?! src="\.?\/?assets| type="application\/json")|<style|\son\w+=|style=/);
  expect((await send(`${app.url}/console`, { method: 'POST' })).status).toBe(405);
});
