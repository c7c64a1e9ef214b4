import { readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { registeredDoctor } from '../support/expectations.ts';
import { failedStart } from '../support/failed-start.ts';
import { useWorkshop } from '../support/gateway-process.ts';
import { send } from '../support/http.ts';
import { listenOnFreePort } from '../support/listen.ts';
import { openForm } from '../support/multipart.ts';
import { aDoctor } from '../support/people.ts';
import { answerTo, sendRaw } from '../support/raw-http.ts';
import { restApi } from '../support/rest-api.ts';
import { createTestApp } from '../support/test-app.ts';

const workshop = useWorkshop();

test('the start line has the address of the metrics, which last until the last request has ended', async () => {
  const gateway = workshop.start({ METRICS: 'on', METRICS_PORT: '0', STOP_GRACE_SECONDS: '600' });
  const url = await gateway.url();
  const metricsUrl = /metrics (http:\/\/127\.0\.0\.1:\d+\/metrics)$/m.exec(gateway.stdout)?.[1] ?? '';
  expect((await send(metricsUrl)).text).toContain('auth_gateway_audit_events_waiting 0');

  const api = restApi(url);
  const { req, body } = await openForm(url, api.doctorRequest(aDoctor()));
  req.write(body.subarray(0, body.length - 10));
  const quarantine = path.join(workshop.folder, 'storage/.quarantine');
  await eventually(async () => expect(await readdir(quarantine)).toHaveLength(3));
  gateway.signal('SIGTERM');
  await eventually(async () => {
    await expect(sendRaw(url, {})).rejects.toThrow('ECONNREFUSED');
  });
  expect((await send(metricsUrl)).status).toBe(200);
  req.end(body.subarray(body.length - 10));
  registeredDoctor(api.doctorOutcome(await answerTo(req)));
  expect(await gateway.exitCode()).toBe(0);
});

test('a start reports a taken port for metrics', async () => {
  const other = createServer();
  const port = String(await listenOnFreePort(other));
  const settings = { METRICS: 'on', METRICS_PORT: port };
  expect(await failedStart(workshop.environment(settings))).toContain(port);
  other.close();
});

test('metrics are served only on METRICS_HOST, and everything else on HOST', async () => {
  const app = await createTestApp({ METRICS: 'on', METRICS_PORT: '0', METRICS_HOST: '127.0.0.2' });
  try {
    expect(app.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    const [, port] = /^http:\/\/127\.0\.0\.2:(\d+)$/.exec(app.metricsUrl ?? '') ?? [];
    expect((await send(`${app.metricsUrl}/metrics`)).status).toBe(200);
    await expect(sendRaw(`http://127.0.0.1:${port}`, {})).rejects.toThrow('ECONNREFUSED');
  } finally {
    await app.stop();
  }
});

test('a start with a METRICS_HOST that the machine does not have names the setting', async () => {
  const settings = { METRICS: 'on', METRICS_PORT: '0', METRICS_HOST: '192.0.2.1' };
  expect(await failedStart(workshop.environment(settings))).toContain('METRICS_HOST');
});
