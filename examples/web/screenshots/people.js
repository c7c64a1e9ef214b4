import { createAuthClient } from '../../../packages/client/dist/index.js';

const GRACE = { name: 'Dr. Grace Hopper', specialization: 'Cardiology', licenseNumber: 'MD-20417' };
const OTHERS = [
  { name: 'Dr. Alan Sample', specialization: 'Neurology', licenseNumber: 'MD-20981' },
  { name: 'Dr. Ada Instance', specialization: 'Paediatrics', licenseNumber: 'MD-21377' },
  { name: 'Dr. Edsger Case', specialization: 'Orthopaedics', licenseNumber: 'MD-21502' },
];
const PASSWORD = 'seven green lanterns';
const ABOUT = {
  phone: '+49 30 1234567',
  currentInstitution: 'Charité, Berlin',
  practiceAddress: 'Example Street 1, 10115 Berlin',
};

const emailOf = ({ name }) => `${name.split(' ')[1].toLowerCase()}@example.org`;

/** Registers doctors: some wait for a review, one was rejected. The newcomer has only files. */
export async function makePeople(browser, gateway, reviewer) {
  const waiting = { ...GRACE, name: 'Dr. Grace Example' };
  for (const doctor of [waiting, ...OTHERS]) {
    await register(browser, gateway, doctor);
  }
  const rejected = { ...OTHERS[0], name: 'Dr. Barbara Sample' };
  const { id } = await register(browser, gateway, rejected);
  const client = createAuthClient({ url: gateway });
  await client.login(reviewer);
  await client.reviews.decide({
    id,
    revision: 0,
    decision: 'REJECT',
    reason: 'The license is cut off at the right edge.\nPlease scan it again.',
  });
  return {
    newcomer: { ...ABOUT, ...GRACE, email: emailOf(GRACE), files: await papersOf(browser, GRACE) },
    rejected: { email: emailOf(rejected), password: PASSWORD },
  };
}

async function register(browser, gateway, doctor) {
  const [license, diploma, certification] = await papersOf(browser, doctor);
  const fileOf = ({ name, buffer }) => new File([buffer], name);
  const registered = await createAuthClient({ url: gateway }).registerDoctor({
    ...ABOUT,
    ...doctor,
    email: emailOf(doctor),
    password: PASSWORD,
    licenseFile: fileOf(license),
    diplomaFile: fileOf(diploma),
    certificationFile: fileOf(certification),
  });
  if (!registered.ok) {
    throw new Error(JSON.stringify(registered.error));
  }
  return registered.data.account;
}

/** A license as a picture, a diploma and a certificate as PDF. */
async function papersOf(browser, { name, specialization, licenseNumber }) {
  const page = await browser.newPage({ viewport: { width: 420, height: 560 } });
  const draw = async (title, lines) => page.setContent(paper(title, lines));
  await draw('License to practise', [
    'Medical board of Exampleland',
    `No. ${licenseNumber}`,
    name,
    specialization,
  ]);
  const license = { name: 'license.png', mimeType: 'image/png', buffer: await page.screenshot() };
  const pdf = async (title, lines) => {
    await draw(title, lines);
    return page.pdf({ width: '420px', height: '560px', printBackground: true });
  };
  const diploma = await pdf('Diploma', ['University of Exampleton', 'Doctor of Medicine', name, '2014']);
  const certificate = await pdf('Certificate', [`Society of ${specialization}`, name, 'valid until 2031']);
  await page.close();
  return [
    license,
    { name: 'diploma.pdf', mimeType: 'application/pdf', buffer: diploma },
    { name: 'certification.pdf', mimeType: 'application/pdf', buffer: certificate },
  ];
}

const paper = (title, lines) => `<!doctype html><style>
  body { margin: 0; padding: 14px; box-sizing: border-box; height: 100vh; background: #fffef9; font: 15px/2 serif; }
  div { box-sizing: border-box; height: 100%; border: 4px double #3b4a6b; text-align: center; padding-top: 90px; }
  h1 { margin: 0 0 30px; font-size: 27px; }
</style><div><h1>${title}</h1>${lines.map((line) => `<p style="margin:0">${line}</p>`).join('')}</div>`;
