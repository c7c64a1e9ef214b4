import { eventually } from '../support/eventually.ts';
import { authenticated } from '../support/expectations.ts';
import { send } from '../support/http.ts';
import { orderMails } from '../support/order-mail.ts';
import { aPatient } from '../support/people.ts';
import { mailSettings } from '../support/reset-codes.ts';
import { restApi } from '../support/rest-api.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { createTestApp, type TestApp, testClock } from '../support/test-app.ts';

const CHECK_MILLIS = 10_000;
const REST_MILLIS = 60_000;

/** The metrics of mails, by name and labels. */
async function mailMetrics({ metricsUrl }: TestApp) {
  const { text } = await send(`${metricsUrl}/metrics`);
  return Object.fromEntries(
    [...text.matchAll(/^auth_gateway_mails_(\S+) (\d+)$/gm)].map(([, name = '', value]) => [name, value]),
  );
}

/** Every outcome is shown from the start, so that Prometheus sees the first one as an increase. */
const NO_MAILS = Object.fromEntries(
  ['sent', 'dropped', 'postponed', 'refused', 'expired'].map((outcome) => [
    `total{outcome="${outcome}"}`,
    '0',
  ]),
);

test('a gateway starts and serves without its mail server, and sends what waits when the server is back', async () => {
  const server = await startSmtpServer();
  await server.stop();
  const mail = mailSettings(server.url);
  const app = await createTestApp({ ...mail, METRICS: 'on', METRICS_PORT: '0' });
  try {
    authenticated(await restApi(app.url).registerPatient(aPatient()));
    const [email = ''] = await orderMails(app.database, 1, testClock);
    expect(await mailMetrics(app)).toEqual({ ...NO_MAILS, waiting: '1' });
    await eventually(() => expect(testClock.millisToNext).toBe(CHECK_MILLIS));
    await testClock.advance(CHECK_MILLIS);
    await eventually(() => expect(app.log.join()).toContain('the mail server cannot be used: mails wait'));
    expect(app.log.join()).toContain('ECONNREFUSED');
    expect((await send(`${app.url}/readyz`)).status).toBe(200);

    await server.start();
    // The delivery does not look any more, until it has rested.
    await eventually(() => expect(testClock.millisToNext).toBeGreaterThan(CHECK_MILLIS));
    await testClock.advance(REST_MILLIS);
    const { recipients, to } = await server.nextMail();
    expect(recipients).toEqual([email]);
    expect(to).toEqual([{ name: '', address: email }]);
    await eventually(async () =>
      expect(await mailMetrics(app)).toEqual({
        ...NO_MAILS,
        waiting: '0',
        'total{outcome="postponed"}': '1',
        'total{outcome="sent"}': '1',
      }),
    );
    expect(app.log.join()).toContain('the mail server can be used again');
    expect(app.log.join()).not.toContain(email);
  } finally {
    await app.stop();
    await server.stop();
  }
});
