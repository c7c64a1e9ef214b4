import type { Authenticated } from '../../support/expectations.ts';
import { registeredDoctor, succeeded } from '../../support/expectations.ts';
import { LANR, NPI, rulesSetting } from '../../support/license-rules.ts';
import { aDoctor } from '../../support/people.ts';
import { restApi } from '../../support/rest-api.ts';
import { decide, doctorsOf, newReviewer, openDoctor } from '../../support/reviews.ts';
import { useTestApp } from '../../support/test-app.ts';

const ANY = {
  name: 'Register of Ελλάδα',
  pattern: '.*[/?#&.].*',
  lookup: 'https://any.example/?number={number}',
};
const app = useTestApp(rulesSetting({ rules: [NPI, LANR, ANY] }));
const other = useTestApp();
let reviewer: Authenticated;
beforeAll(async () => {
  reviewer = await newReviewer(app);
});

const register = async (licenseNumber: string) =>
  registeredDoctor(await restApi(app.url).registerDoctor(aDoctor({ licenseNumber })));

const fitOf = async (licenseNumber: string) => {
  const { account } = await register(licenseNumber);
  return (await openDoctor(app, reviewer.token, String(account.id))).licenseFit;
};

const lookupOf = (number: string) => `https://register.example/provider/${number}?lang=en`;
const NPI_FIT = { rule: 'NPI', source: 'CMS', lookupUrl: lookupOf('1234567893') };
const LANR_FIT = { rule: 'LANR', source: null, lookupUrl: null };
const NONE = { rule: null, source: null, lookupUrl: null };

test.each([
  ['1234567893', NPI_FIT],
  [' 1234 567 893', NPI_FIT],
  ['1234567892', NONE],
  ['1234567894', NONE],
  ['1234567983', NONE],
  ['2234567893', NONE],
  ['123456789', NONE],
  ['12345678930', NONE],
  ['838382202', LANR_FIT],
  // The last two digits are the field of medicine, which is free.
  ['838382299', LANR_FIT],
  ['838382102', NONE],
  ['838382302', NONE],
  ['838383202', NONE],
  ['MD-12345', NONE],
  ['x'.repeat(255), NONE],
])('a reviewer sees which rule the number %s fits', async (number, fit) => {
  expect(await fitOf(number)).toEqual(fit);
});

test('in the link to a register the number is encoded, and stays in its place', async () => {
  const fit = await fitOf('../a?b=1&c#d$&é');
  expect(fit).toMatchObject({
    rule: ANY.name,
    lookupUrl: `https://any.example/?number=..%2Fa%3Fb%3D1%26c%23d%24%26%C3%A9`,
  });
  expect(await fitOf('..')).toMatchObject({ rule: ANY.name, lookupUrl: null });
});

test('a proposed number has a rule of its own, which counts after the approval', async () => {
  const { account, token } = await register('1234567893');
  const id = String(account.id);
  await decide(app, reviewer.token, { id, revision: 0, decision: 'APPROVE' });
  succeeded(await restApi(app.url).updateMyProfile({ licenseNumber: '838382202' }, `Bearer ${token}`));
  const { edges } = await doctorsOf(app, reviewer.token, { proposals: true });
  expect(edges.map(({ node }) => node)).toMatchObject([
    { licenseFit: NPI_FIT, proposedLicenseFit: LANR_FIT },
  ]);
  const [{ node: { revision } = { revision: -1 } } = {}] = edges;
  expect(await decide(app, reviewer.token, { id, revision, decision: 'APPROVE' })).toMatchObject({
    licenseFit: LANR_FIT,
    proposedLicenseFit: null,
  });
});

test('a registration is answered as without rules, and without rules a review has none', async () => {
  const [withRules, without] = await Promise.all(
    [app, other].map(async ({ url }) => registeredDoctor(await restApi(url).registerDoctor(aDoctor()))),
  );
  expect(Object.keys(withRules?.profile ?? {})).toEqual(Object.keys(without?.profile ?? {}));
  const { token } = await newReviewer(other);
  const { licenseFit } = await openDoctor(other, token, String(without?.account.id));
  expect(licenseFit).toBeNull();
});
