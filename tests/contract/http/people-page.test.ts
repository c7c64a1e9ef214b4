import { jsonOf, send } from '../../support/http.ts';
import { sendRaw } from '../../support/raw-http.ts';
import { useTestApp } from '../../support/test-app.ts';

const BROWSER = { Accept: 'text/html' };
const SETTINGS = {
  PAGES: 'off',
  PEOPLE_URL: 'https://login.example.org/people',
  PASSWORD_MIN_CHARACTERS: '15',
};

describe('with PEOPLE_URL', () => {
  const app = useTestApp({ ...SETTINGS, TWO_FACTOR_ISSUER: '</script><b>Clinic' });

  test('/people is a page with a strict policy, without cookies, that is never cached', async () => {
    const page = await send(`${app.url}/people`, { headers: BROWSER });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('set-cookie')).toBeNull();
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(page.text).not.toMatch(/<script(?![^>]*(?:src=|application\/json))|<style|\son\w+=|<b>/);
    const [, settings = ''] =
      /<script type="application\/json" id="settings">(.*?)<\/script>/.exec(page.text) ?? [];
    expect(JSON.parse(settings)).toEqual({
      name: '</script><b>Clinic',
      passwordMinCharacters: 15,
      maxFileBytes: 10_485_760,
      mails: false,
      registration: { doctor: 'open', patient: 'open' },
      passkeys: false,
    });
    expect((await sendRaw(app.url, { path: '/people', method: 'HEAD', headers: BROWSER })).status).toBe(200);
    expect((await send(`${app.url}/people`, { method: 'POST' })).status).toBe(405);
  });

  test('it loads only files of this server', async () => {
    const { text } = await send(`${app.url}/people`, { headers: BROWSER });
    const urls = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url = '']) => url);
    expect(urls.length).toBeGreaterThan(2);
    for (const url of urls) {
      expect(url).toMatch(/^assets\//);
      expect((await send(`${app.url}/${url}`)).status).toBe(200);
    }
  });

  test('no other page comes with it', async () => {
    for (const path of ['/', '/docs', '/console', '/people/', '/People', '/people/x']) {
      expect((await send(`${app.url}${path}`, { headers: BROWSER })).status).toBe(404);
    }
  });
});

describe('without PEOPLE_URL', () => {
  const app = useTestApp({ PAGES: 'on' });

  test('/people is 404 in JSON', async () => {
    const response = await send(`${app.url}/people`, { headers: BROWSER });
    expect(response.status).toBe(404);
    expect(jsonOf(response)).toEqual({ message: expect.any(String) });
  });
});
