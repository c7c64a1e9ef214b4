import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { useWorkshop } from '../support/gateway-process.ts';
import { sendJson } from '../support/http.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts';

/** Prints at the end which packages of OpenTelemetry were loaded. They are CommonJS, so Node keeps them in this cache. */
const TELL_LOADED = `
import { createRequire } from 'node:module';
const { cache } = createRequire(import.meta.url);
process.on('exit', () => {
  const loaded = Object.keys(cache).flatMap((file) => /@opentelemetry.[\\w-]+/.exec(file) ?? []);
  process.stdout.write('loaded: ' + [...new Set(loaded)].sort().join(' ') + '\\n');
});
`;

const workshop = useWorkshop();
let receiver: OtlpReceiver;
let preload: Record<string, string>;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
  const file = path.join(workshop.folder, 'tell-loaded.mjs');
  await writeFile(file, TELL_LOADED);
  preload = { NODE_OPTIONS: `--import=${pathToFileURL(file).href}` };
});
afterAll(() => receiver?.stop());

const logOut = (url: string) => sendJson(`${url}/api/v1/auth/logout`, {});

test('without a collector, nothing of OpenTelemetry is loaded', async () => {
  const gateway = workshop.start({ ...preload, OTEL_SERVICE_NAME: 'gateway' });
  await logOut(await gateway.url());
  gateway.signal('SIGTERM');
  expect(await gateway.exitCode()).toBe(0);
  expect(gateway.stdout).toMatch(/^loaded: $/m);
  expect(gateway.stdout).not.toContain('trace_id');
});

test('a stop exports the last spans, with the headers of the settings', async () => {
  const gateway = workshop.start({
    ...preload,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=the%20secret',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_BSP_SCHEDULE_DELAY: '60000',
  });
  const { headers } = await logOut(await gateway.url());
  expect(receiver.exports).toBe(0);
  gateway.signal('SIGTERM');
  expect(await gateway.exitCode()).toBe(0);
  const span = await receiver.requestSpan(headers.get('x-request-id'));
  expect(span.resource).toMatchObject({
    'service.version': expect.stringMatching(/^\d+\.\d+\.\d+/),
    'service.instance.id': expect.any(String),
    'deployment.environment.name': 'test',
  });
  expect(receiver.headers['x-key']).toBe('the secret');
  expect(gateway.stdout).not.toContain('the secret');
  expect(gateway.stdout).toContain('@opentelemetry/sdk-trace');
});

test('a gateway whose collector is unreachable starts, answers and stops', async () => {
  const { url } = receiver;
  await receiver.stop();
  const gateway = workshop.start({ OTEL_EXPORTER_OTLP_ENDPOINT: url, STOP_GRACE_SECONDS: '0' });
  expect((await logOut(await gateway.url())).status).toBe(401);
  gateway.signal('SIGTERM');
  expect(await gateway.exitCode()).toBe(0);
  expect(gateway.stderr).toBe('');
});
