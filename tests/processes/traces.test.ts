import { useWorkshop } from '../support/gateway-process.ts';
import { sendJson } from '../support/http.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts';

const workshop = useWorkshop();
let receiver: OtlpReceiver;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
});
afterAll(() => receiver?.stop());

const logOut = (url: string) => sendJson(`${url}/api/v1/auth/logout`, {});

test('a stop exports the last spans, with the headers of the settings', async () => {
  const gateway = workshop.start({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=the%20secret',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_BSP_SCHEDULE_DELAY: '60000',
  });
  const { headers } = await logOut(await gateway.url());
  expect(receiver.exports).toBe(0);
  expect(await gateway.stop()).toBe(0);
  const span = await receiver.requestSpan(headers.get('x-request-id'));
  expect(span.resource).toMatchObject({
    'service.version': expect.stringMatching(/^\d+\.\d+\.\d+/),
    'service.instance.id': expect.any(String),
    'deployment.environment.name': 'test',
  });
  expect(receiver.headers['x-key']).toBe('the secret');
  expect(gateway.stdout).not.toContain('the secret');
});

test('a gateway whose collector is unreachable starts, answers and stops', async () => {
  const { url } = receiver;
  await receiver.stop();
  const gateway = workshop.start({ OTEL_EXPORTER_OTLP_ENDPOINT: url, STOP_GRACE_SECONDS: '0' });
  expect((await logOut(await gateway.url())).status).toBe(401);
  expect(await gateway.stop()).toBe(0);
  expect(gateway.stderr).toBe('');
});
