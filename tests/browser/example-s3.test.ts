import { startS3Server } from '../documents/support/s3-server.ts';
import { CONTENT } from '../support/documents.ts';
import { eventually } from '../support/eventually.ts';
import { aDoctor } from '../support/people.ts';
import { useBrowser } from './support/browser.ts';
import { useExample } from './support/example.ts';

let s3: Awaited<ReturnType<typeof startS3Server>> | undefined;
const browser = useBrowser();
const example = useExample(async () => {
  s3 = await startS3Server();
  return { ...s3.settings, S3_DELIVERY: 'redirect' };
});
afterAll(() => s3?.stop());

test('the review desk shows documents of a bucket that the gateway redirects to', async () => {
  const fileOf = (name: string, bytes: Buffer) => new File([new Uint8Array(bytes)], name);
  const registered = await example.client().registerDoctor({
    ...aDoctor(),
    licenseFile: fileOf('license.png', CONTENT.png),
    diplomaFile: fileOf('diploma.pdf', CONTENT.pdf),
    certificationFile: fileOf('certification.pdf', CONTENT.pdf),
  });
  expect(registered.ok).toBe(true);
  const page = await browser.open(example.view('/login'));
  await example.logIn(page, await example.newReviewer());

  const license = page.getByRole('img', { name: 'License' });
  await eventually(async () =>
    expect(await license.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1),
  );
  await page.locator('iframe[title=Diploma]').waitFor();
});
