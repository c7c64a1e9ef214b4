import { throughEachApi } from '../../support/apis.ts';
import { registeredDoctor } from '../../support/expectations.ts';
import { openForm } from '../../support/multipart.ts';
import { aDoctor } from '../../support/people.ts';
import { answerTo } from '../../support/raw-http.ts';
import { createTestApp, type TestApp, useTestApp } from '../../support/test-app.ts';

const app = useTestApp();

throughEachApi((apiOf) => {
  /** The URLs of the documents of a new doctor. */
  async function documentUrls({ url }: TestApp): Promise<string[]> {
    const { profile } = registeredDoctor(await apiOf(url).registerDoctor(aDoctor()));
    return [profile.licenseFileUrl, profile.diplomaFileUrl, profile.certificationUrl];
  }

  test('without BASE_URL the URLs of documents begin with the address of the server', async () => {
    for (const url of await documentUrls(app)) {
      expect(url).toMatch(new RegExp(`^${app.url}/storage/`));
    }
  });

  test.each([
    ['https://auth.example.org', 'https://auth.example.org/storage/'],
    ['https://auth.example.org/', 'https://auth.example.org/storage/'],
    ['https://example.org/gateway/', 'https://example.org/gateway/storage/'],
    ['http://[::1]:8080', 'http://[::1]:8080/storage/'],
  ])('with the BASE_URL %s they begin with %s', async (baseUrl, beginning) => {
    const withBaseUrl = await createTestApp({ BASE_URL: baseUrl });
    try {
      for (const url of await documentUrls(withBaseUrl)) {
        expect(url.startsWith(beginning)).toBe(true);
        expect(url.slice(beginning.length)).toMatch(
          /^(licenses|diplomas|certifications)\/[0-9A-Za-z]{40}\.pdf$/,
        );
      }
    } finally {
      await withBaseUrl.stop();
    }
  });

  test('the Host header of a request has no effect on URLs', async () => {
    for (const hostile of [
      { Host: 'evil.example' },
      { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' },
      { Forwarded: 'host=evil.example' },
    ]) {
      const { headers, ...request } = apiOf(app.url).doctorRequest(aDoctor());
      const { req, body } = await openForm(app.url, { ...request, headers: { ...headers, ...hostile } });
      req.end(body);
      const outcome = registeredDoctor(apiOf(app.url).doctorOutcome(await answerTo(req)));
      expect(outcome.http.text).not.toContain('evil.example');
      expect(outcome.profile.licenseFileUrl).toMatch(new RegExp(`^${app.url}/storage/`));
    }
  });
});
