import { execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { argv, execPath, stdout } from 'node:process';
import { Secret, TOTP } from 'otpauth';
import { chromium } from 'playwright-core';

/*
 * Takes the pictures of the pages in docs/screenshots, at two widths, light and dark. Build first: `npm run build`.
 *   node scripts/screenshots.js [start] [docs] [graphiql] [console] [review] [review-de] [people]
 * `people` stands for every page for people, in both languages; git ignores pictures that no document shows.
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
  console: { path: '/console', ready: 'input', prepare: openPerson, height: 768 },
  review: { path: '/console', ready: 'input', prepare: openReview, height: 900 },
  'review-de': { path: '/console', ready: 'input', prepare: openReview, height: 900, locale: 'de' },
  graphiql: {
    path: '/graphql',
    ready: '.graphiql-query-editor .view-line',
    prepare: runRegistration,
    height: 560,
  },
};
/** The pages for people, by the fragment of their address. */
const OF_PEOPLE = [
  'login',
  'forgotten',
  'reset',
  'confirm',
  'register/doctor',
  'register/patient',
  'account',
  'help',
];
for (const place of OF_PEOPLE) {
  for (const locale of ['en', 'de']) {
    PAGES[`people-${place.replace('/', '-')}-${locale}`] = {
      path: `/people#/${place === 'account' ? 'login' : place}`,
      ready: 'h1',
      prepare: { account: openAccount, 'register/doctor': fillInRegistration }[place],
      locale,
    };
  }
}
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

/** Each login takes one of the recovery codes. */
const OPERATOR = { role: 'operator', name: 'Olga Perator', email: 'olga@example.org', codes: [] };
const REVIEWER = { role: 'reviewer', name: 'Rita Reviewer', email: 'rita@example.org', codes: [] };
const DOCTOR = 'grace@example.org';
const PASSWORD = 'a long and quiet river';

async function send(address, query, input) {
  const response = await fetch(`${GATEWAY}${address}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables: { input } }),
  });
  return (await response.json()).data;
}

/** Makes an operator or a reviewer by the command line and the link that it prints. */
async function makeStaff(person) {
  const { role, name, email } = person;
  const words = ['admin', 'accounts', 'create', '--role', role, '--name', name, '--email', email, '--json'];
  const made = execFileSync(execPath, ['dist/auth-gateway.js', ...words], {
    env: settings,
    encoding: 'utf8',
  });
  const [, token] = JSON.parse(made).url.split('#set-up=');
  const begin = 'mutation ($input: BeginSetUpInput!) { beginSetUp(input: $input) { secretKey } }';
  const { beginSetUp } = await send('/operators/graphql', begin, { token });
  const code = new TOTP({ secret: Secret.fromBase32(beginSetUp.secretKey) }).generate();
  const finish = 'mutation ($input: FinishSetUpInput!) { finishSetUp(input: $input) { recoveryCodes } }';
  const input = { token, newPassword: PASSWORD, code };
  person.codes = (await send('/operators/graphql', finish, input)).finishSetUp.recoveryCodes;
}

async function makePatients() {
  const register = 'mutation ($input: RegisterPatientInput!) { registerPatient(input: $input) { token } }';
  const names = ['Ada Lovelace', 'Adam Riese', 'Ida Noddack'];
  for (const name of names) {
    const email = `${name.toLowerCase().replace(' ', '.')}@example.org`;
    await send('/graphql', register, {
      name,
      email,
      phone: '+49 30 1234567',
      password: 'seven green lanterns',
    });
  }
}

/** Registers a doctor with a PDF and pictures. */
async function makeDoctor(browser) {
  const page = await browser.newPage({ viewport: { width: 500, height: 640 } });
  await page.setContent('<h1>License to practise</h1><p>Dr. Grace Hopper</p><p>MD-12345</p>');
  const files = {
    license_file: 'license.pdf',
    diploma_file: 'diploma.png',
    certification_file: 'certification.png',
  };
  const form = new FormData();
  const texts = {
    ...{ name: 'Dr. Grace Hopper', email: DOCTOR, phone: '+49 30 1234567' },
    ...{ password: PASSWORD, password_confirmation: PASSWORD },
    ...{ specialization: 'Cardiology', license_number: 'MD-12345' },
    practice_address: 'Parkstraße 1\n10115 Berlin',
    work_history: '2010 – 2015\tNorth Hospital\n2015 –\tA practice of her own',
  };
  for (const [name, text] of Object.entries(texts)) {
    form.set(name, text);
  }
  for (const [name, file] of Object.entries(files)) {
    form.set(name, new Blob([file.endsWith('.pdf') ? await page.pdf() : await page.screenshot()]), file);
  }
  await page.close();
  await fetch(`${GATEWAY}/api/v1/auth/register/doctor`, { method: 'POST', body: form });
}

async function logIn(page, { email, codes }) {
  const next = page.locator('button[type=submit]');
  await page.locator('[name=email]').fill(email);
  await page.locator('[name=password]').fill(PASSWORD);
  await next.click();
  await page.locator('[name=code]').fill(codes.pop());
  await next.click();
}

/** Logs in to the console as a reviewer. */
async function openReview(page) {
  await logIn(page, REVIEWER);
  await page.locator('.reviews canvas[aria-busy=false]').first().waitFor();
}

/** Logs in to the console, and opens a person. */
async function openPerson(page) {
  await logIn(page, OPERATOR);
  await page.getByRole('link', { name: 'Accounts' }).click();
  await page.getByLabel('Name, e-mail or telephone').fill('ada');
  await page.getByRole('button', { name: 'Find' }).click();
  await page.getByRole('link', { name: 'Ada Lovelace' }).click();
  await page.getByText('Last events').waitFor();
}

/** Logs in as a doctor who waits for a review. */
async function openAccount(page) {
  await page.locator('[type=email]').fill(DOCTOR);
  await page.locator('[type=password]').fill(PASSWORD);
  await page.locator('button[type=submit]').click();
  await page.locator('.tokens li').first().waitFor();
  // Without the notice, as on the next day.
  await page.reload();
  await page.locator('.tokens li').first().waitFor();
}

/** Fills in the registration of a doctor, with a password that gets advice, and documents. */
async function fillInRegistration(page) {
  const texts = ['Dr. Grace Hopper', 'grace.hopper@example.org', 'grace-hopper-12', '+49 30 1234567'];
  const inputs = await page.locator('fieldset input:not([type=file])').all();
  for (const [index, text] of [...texts, 'Cardiology', 'MD-20417'].entries()) {
    await inputs[index].fill(text);
  }
  const files = await page.locator('input[type=file]').all();
  await files[0].setInputFiles({
    name: 'license.png',
    mimeType: 'image/png',
    buffer: await page.screenshot(),
  });
  await files[1].setInputFiles({
    name: 'diploma.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from('%PDF-1.7'),
  });
}

/** Waits until the gateway has written its start line. */
const ready = (gateway) =>
  new Promise((resolve, reject) => {
    gateway.stdout.on('data', (chunk) => String(chunk).includes('is ready') && resolve());
    gateway.on('exit', (code) => reject(new Error(`The gateway ended with ${code}.`)));
  });

async function takePicture(browser, name, viewport, colorScheme) {
  const { path: address, ready: isShown, prepare, height: wideHeight, locale = 'en' } = PAGES[name];
  const isWide = viewport.width > 1000;
  const context = await browser.newContext({ viewport, colorScheme, locale });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  await page.goto(`${GATEWAY}${address}`);
  await page.locator(isShown).first().waitFor();
  await prepare?.(page, isWide);
  // Fonts, highlighting and the jump to the operation.
  await page.waitForTimeout(name.startsWith('people') ? 500 : 5_000);
  const file = path.join(FOLDER, `${name}-${viewport.width}-${colorScheme}.png`);
  const height = (isWide && wideHeight) || viewport.height;
  const clip = { x: 0, y: 0, width: viewport.width, height };
  await page.screenshot({ path: file, clip, animations: 'disabled', caret: 'hide' });
  stdout.write(`${file}\n`);
  await context.close();
}

const named = argv.length > 2 ? argv.slice(2) : Object.keys(PAGES);
const wanted = named.flatMap((name) =>
  name === 'people' ? Object.keys(PAGES).filter((each) => each.startsWith('people-')) : [name],
);
const folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-screenshots-'));
const settings = {
  PORT,
  PAGES: 'on',
  LOG_LEVEL: 'silent',
  DATA_DIR: folder,
  STORAGE_DIR: `${folder}/storage`,
  OPERATOR_API: 'on',
  TWO_FACTOR_ISSUER: 'Example practice',
  TWO_FACTOR_SECRET: 'only for the pictures, and never for people',
  BCRYPT_COST: '4',
};
const gateway = spawn(execPath, ['dist/main.js'], { env: settings, stdio: ['ignore', 'pipe', 'inherit'] });
try {
  await mkdir(FOLDER, { recursive: true });
  await ready(gateway);
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  if (wanted.includes('console')) {
    await makeStaff(OPERATOR);
    await makePatients();
  }
  if (wanted.some((name) => name.startsWith('review'))) {
    await makeStaff(REVIEWER);
  }
  if (wanted.some((name) => /^(?:review|people)/.test(name))) {
    await makeDoctor(browser);
  }
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
