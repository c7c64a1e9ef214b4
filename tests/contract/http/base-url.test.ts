import { throughEachApi } from '../../support/apis.ts';
import { registeredDoctor } from '../../support/expectations.ts';
import { send } from '../../support/http.ts';
import { openForm } from '../../support/multipart.ts';
import { aDoctor } from '../../support/people.ts';
import { answerTo } from '../../support/raw-http.ts';
import { exchange } from '../../support/raw-socket.ts';
import { useTestApp } from '../../support/test-app.ts';

const ONE_YEAR = 'max-age=31536000; includeSubDomains';

describe.each([
  ['https://auth.example.org', 'https://auth.example.org/storage/', ONE_YEAR],
  ['HTTPS://auth.example.org/gateway/', 'https://auth.example.org/gateway/storage/', ONE_YEAR],
  ['http://[::1]:8080', 'http://[::1]:8080/storage/', null],
])('with the BASE_URL %s', (baseUrl, beginning, security) => {
  const app = useTestApp({ BASE_URL: baseUrl, METRICS: 'on', METRICS_PORT: '0' });

  throughEachApi((apiOf) => {
    test(`the URLs of documents begin with ${beginning}`, async () => {
      const { profile } = registeredDoctor(await apiOf(app.url).registerDoctor(aDoctor()));
      for (const url of [profile.licenseFileUrl, profile.diplomaFileUrl, profile.certificationUrl]) {
        expect(url.startsWith(beginning)).toBe(true);
        expect(url.slice(beginning.length)).toMatch(/^(licenses|diplomas|certifications)\/\w{40}\.pdf$/);
      }
    });
  });

  test(`Strict-Transport-Security is ${security}`, async () => {
    const paths = ['/nothing', '/graphql', '/storage/nothing', '/api/v1/auth/login'];
    const answers = [
      ...(await Promise.all(paths.map((path) => send(`${app.url}${path}`)))),
      await exchange(app.url, 'nonsense\r\n\r\n'),
      await send(`${app.metricsUrl}/metrics`),
    ];
    for (const answer of answers) {
      expect(answer?.headers.get('strict-transport-security')).toBe(security);
    }
  });
});

describe('without BASE_URL', () => {
  const app = useTestApp();

  throughEachApi((apiOf) => {
    test('the URLs of documents begin with the address of the server, whatever Host the request names', async () => {
      const { headers, ...request } = apiOf(app.url).doctorRequest(aDoctor());
      const hostile = {
        ...{ Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' },
        Forwarded: 'host=evil.example',
      };
      const { req, body } = await openForm(app.url, { ...request, headers: { ...headers, ...hostile } });
      req.end(body);
      const { http, profile } = registeredDoctor(apiOf(app.url).doctorOutcome(await answerTo(req)));
      expect(http.text).not.toContain('evil.example');
      for (const url of [profile.licenseFileUrl, profile.diplomaFileUrl, profile.certificationUrl]) {
        expect(url.startsWith(`${app.url}/storage/`)).toBe(true);
      }
    });
  });
});
