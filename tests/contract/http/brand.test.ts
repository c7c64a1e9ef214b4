import { LONGEST_HOLD_MILLIS } from '../../../src/mail/outbox.ts';
import { BRAND, brandSetting, png } from '../../support/brand.ts';
import { authenticated, succeeded } from '../../support/expectations.ts';
import { send } from '../../support/http.ts';
import { OPERATOR_API } from '../../support/operators.ts';
import { aPatient } from '../../support/people.ts';
import { mailSettings } from '../../support/reset-codes.ts';
import { restApi } from '../../support/rest-api.ts';
import { startSmtpServer } from '../../support/smtp-server.ts';
import { createTestApp, testClock, useTestApp } from '../../support/test-app.ts';

const HTML = { headers: { Accept: 'text/html' } };
const NAME = 'Praxis &lt;b&gt;&quot;Süd&quot; &amp; Co&lt;/b&gt;, x@evil.example:';
const FILE = /assets\/brand-[0-9a-f]{16}\.(?:css|png)/g;

describe('with a brand', () => {
  const app = useTestApp({ ...OPERATOR_API, ...brandSetting(), PAGES: 'on' });
  const yellow = useTestApp({ ...brandSetting({ ...BRAND, accent: '#ffd401' }, 'other.json'), PAGES: 'on' });

  test.each([
    ['/', NAME],
    ['/docs', `REST API · ${NAME}`],
    ['/graphql', `GraphiQL · ${NAME}`],
    ['/console', `Console · ${NAME}`],
  ])('the title of %s has its name, and nothing of it is mark-up', async (path, title) => {
    const { text } = await send(`${app.url}${path}`, HTML);
    expect(text).toContain(`<title>${title}</title>`);
    expect(text).toMatch(/<link rel="stylesheet" href="assets\/brand-[0-9a-f]{16}\.css">/);
    expect(text).not.toMatch(/<b>|<style|style=/);
  });

  test('the start page shows picture, contact and links', async () => {
    const { text } = await send(`${app.url}/`, HTML);
    expect(text).toMatch(/<img src="assets\/brand-[0-9a-f]{16}\.png" alt=""/);
    expect(text).toContain(`<span class="name">${NAME}</span>`);
    const [, footer = ''] = /<footer class="column">([\s\S]*)<\/footer>/.exec(text) ?? [];
    expect(footer.split('\n')).toEqual([
      '<a href="mailto:o&#39;neil%26%7Bhost%7D@clinic.example">o&#39;neil&amp;{host}@clinic.example</a>',
      '<a href="https://clinic.example/imprint?lang=en&amp;page=1">Imprint</a>',
      '<a href="https://clinic.example/privacy#top">Privacy</a>',
    ]);
  });

  test('the style sheet and the picture are cached for good, and their names change with their content', async () => {
    const urls = (await send(`${app.url}/`, HTML)).text.match(FILE) ?? [];
    const types = [];
    for (const url of urls) {
      const file = await send(`${app.url}/${url}`);
      expect(file.status).toBe(200);
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(file.headers.get('x-content-type-options')).toBe('nosniff');
      expect(file.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect((await send(`${app.url}/${url}`, { method: 'POST' })).status).toBe(405);
      types.push(file.headers.get('content-type'));
    }
    expect(types).toEqual(['text/css; charset=utf-8', 'image/png']);
    const picture = urls.find((url) => url.endsWith('.png')) ?? '';
    expect(Buffer.from(await (await fetch(`${app.url}/${picture}`)).arrayBuffer())).toEqual(png());
    expect((await send(`${app.url}/${picture.replace(/.\.png/, 'x.png')}`)).status).toBe(404);

    const [style, same] = (await send(`${yellow.url}/`, HTML)).text.match(FILE) ?? [];
    expect([style === urls[0], same === urls[1]]).toEqual([false, true]);
  });
});

const SMALL = { name: 'Praxis', contact: '+49 (0)30 / 12-34' };
const small = useTestApp({ ...brandSetting(SMALL, 'small.json'), PAGES: 'on' });
test('a telephone number is a link that dials', async () => {
  const { text } = await send(`${small.url}/`, HTML);
  expect(text).toContain('<footer class="column"><a href="tel:+49301234">+49 (0)30 / 12-34</a></footer>');
  expect(text.match(FILE)).toBeNull();
});

const plain = useTestApp({ PAGES: 'on' });
test('without a brand the pages have the name of the program, and no footer', async () => {
  const { text } = await send(`${plain.url}/`, HTML);
  expect(text).toContain('<title>auth-gateway</title>');
  expect(text).not.toMatch(/brand-|<footer/);
});

test('a mail has the name of the brand as that of its one sender, and loads nothing', async () => {
  const server = await startSmtpServer();
  const mail = { ...mailSettings(server.url), MAIL_FROM: 'clinic@example.org' };
  const app = await createTestApp({ ...mail, ...brandSetting() });
  const patient = aPatient();
  const api = restApi(app.url);
  authenticated(await api.registerPatient(patient));
  succeeded(await api.requestPasswordReset({ email: patient.email }));
  await testClock.advance(LONGEST_HOLD_MILLIS);
  const { from, text, html } = await server.nextMail();
  await app.stop();
  await server.stop();

  expect(from).toEqual({ name: BRAND.name, address: 'clinic@example.org' });
  const end = `Contact: ${BRAND.contact}\nImprint: ${BRAND.imprint}\nPrivacy: ${BRAND.privacy}`;
  expect(text.trimEnd().endsWith(`\n\n${end}`)).toBe(true);
  expect(html).not.toMatch(/<b>|<img|<link|src=|url\(/);
});
