import { succeeded } from '../support/expectations.ts';
import { NPI, rulesSetting } from '../support/license-rules.ts';
import { newStaffReviewer, OPERATOR_API, type Staff } from '../support/operators.ts';
import { restApi } from '../support/rest-api.ts';
import { decide, newReviewer } from '../support/reviews.ts';
import { accountOf } from '../support/session.ts';
import { REAL_TIME, useTestApp } from '../support/test-app.ts';
import { useBrowser } from './support/browser.ts';
import { accessibilityProblems } from './support/pages.ts';
import { aRegisteredDoctor, fact, openReviews, pick } from './support/reviews.ts';

const browser = useBrowser();
const app = useTestApp({ ...OPERATOR_API, ...rulesSetting() }, undefined, ...REAL_TIME);
let reviewer: Staff;
beforeAll(async () => {
  reviewer = await newStaffReviewer(app);
});

test('the review says which rule the license number fits, and links the register without a referrer', async () => {
  const doctor = await aRegisteredDoctor(app, { licenseNumber: '1234567893' });
  const other = await aRegisteredDoctor(app, {});
  const page = await openReviews(browser, app, reviewer);
  await pick(page, doctor.name);
  expect(await fact(page, 'Rule of the number').textContent()).toBe('Fits NPI (CMS) Look it up');
  const link = page.getByRole('link', { name: 'Look it up' });
  expect(await link.getAttribute('href')).toBe(NPI.lookup.replace('{number}', '1234567893'));
  expect(await link.getAttribute('rel')).toBe('noreferrer');
  expect(await link.getAttribute('target')).toBe('_blank');
  await pick(page, other.name);
  expect((await fact(page, 'Rule of the number').textContent())?.trim()).toBe('Fits no rule');
  expect(await link.count()).toBe(0);
});

test('a rejection has grounds, which the page shows afterwards', async () => {
  const doctor = await aRegisteredDoctor(app, {});
  const page = await openReviews(browser, app, reviewer);
  await pick(page, doctor.name);
  await page.getByRole('button', { name: 'Reject…' }).click();
  const dialog = page.getByRole('dialog', { name: `Reject ${doctor.name}?` });
  expect(await accessibilityProblems(page, 'dialog')).toEqual([]);
  await dialog.getByLabel('Reason').fill('Please scan it again.');
  await dialog.getByLabel('A document cannot be read').check();
  await dialog.getByLabel('The name is not that of the documents').check();
  await dialog.getByRole('button', { name: 'Reject', exact: true }).click();
  await page.getByText(`${doctor.name} is rejected.`).waitFor();
  await page.getByLabel('Status').selectOption('REJECTED');
  await pick(page, doctor.name);
  expect(await fact(page, 'Grounds').textContent()).toBe(
    'A document cannot be read, The name is not that of the documents',
  );
  const verification = (await accountOf(app.url, doctor.token))?.profile?.verification;
  expect(verification?.grounds).toEqual(['UNREADABLE', 'NAME_DIFFERS']);
});

test('a proposed license number has its rule beside it', async () => {
  const doctor = await aRegisteredDoctor(app, {});
  // The reviewer of the console has a token for the console alone.
  const { token } = await newReviewer(app);
  await decide(app, token, { id: doctor.id, revision: 0, decision: 'APPROVE' });
  succeeded(await restApi(app.url).updateMyProfile({ licenseNumber: '838382202' }, `Bearer ${doctor.token}`));
  const page = await openReviews(browser, app, reviewer);
  await page.getByLabel('Status').selectOption('CORRECTIONS');
  await pick(page, doctor.name);
  const row = page
    .getByRole('table', { name: 'Proposed correction' })
    .getByRole('row', { name: 'License number' });
  expect((await row.innerText()).trim()).toBe(`License number\t${doctor.licenseNumber}\t838382202 Fits LANR`);
});
