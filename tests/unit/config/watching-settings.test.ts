import { readConfig } from '../../../src/config/config.ts';
import { keysOf, problemsOf } from '../../support/config-problems.ts';

test('metrics are on HOST, unless METRICS_HOST is set', () => {
  expect(readConfig({ HOST: '10.0.0.1' }).metricsHost).toBe('10.0.0.1');
  expect(readConfig({ HOST: '0.0.0.0', METRICS_HOST: '127.0.0.1' }).metricsHost).toBe('127.0.0.1');
});

test('metrics are off, or on a separate port', () => {
  const portOf = (settings: Record<string, string>) => readConfig(settings).metricsPort;
  expect(portOf({ METRICS_PORT: '9999' })).toBeUndefined();
  expect(portOf({ METRICS: 'on' })).toBe(9464);
  expect(portOf({ METRICS: 'on', METRICS_PORT: '0' })).toBe(0);
  expect(portOf({ METRICS: 'on', METRICS_PORT: '0', PORT: '0' })).toBe(0);
  expect(portOf({ METRICS_PORT: '4000' })).toBeUndefined();
  expect(keysOf(problemsOf({ METRICS: 'on', METRICS_PORT: '4000' }))).toEqual(['METRICS_PORT']);
});

const COLLECTOR = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example.org/otlp/' };

test('traces go nowhere without an address, or with OTEL_SDK_DISABLED', () => {
  expect(
    readConfig({ OTEL_SERVICE_NAME: 'gateway', OTEL_TRACES_SAMPLER: 'always_on' }).tracing,
  ).toBeUndefined();
  expect(readConfig({ ...COLLECTOR, OTEL_SDK_DISABLED: 'True' }).tracing).toBeUndefined();
  expect(readConfig({ ...COLLECTOR, OTEL_SDK_DISABLED: '1' }).tracing).toBeDefined();
});

test('the settings of traces have the names, forms and defaults of OpenTelemetry', () => {
  expect(readConfig(COLLECTOR).tracing).toEqual({
    url: 'https://collector.example.org/otlp/v1/traces',
    headers: {},
    sampler: 'parentbased_always_on',
    samplerRatio: 1,
    resource: { 'service.name': 'auth-gateway' },
    exportDelayMillis: 5000,
  });
  const settings = {
    ...COLLECTOR,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20dTpw, x-tenant = clinic=1 ,',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '.25',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=ignored,deployment.environment.name=staging%2C%20west',
    OTEL_SERVICE_NAME: 'gateway',
    OTEL_BSP_SCHEDULE_DELAY: '100',
  };
  expect(readConfig(settings).tracing).toEqual({
    url: 'https://collector.example.org/otlp/v1/traces',
    headers: { authorization: 'Basic dTpw', 'x-tenant': 'clinic=1' },
    sampler: 'traceidratio',
    samplerRatio: 0.25,
    resource: { 'service.name': 'gateway', 'deployment.environment.name': 'staging, west' },
    exportDelayMillis: 100,
  });
  expect(readConfig({ ...settings, OTEL_SERVICE_NAME: '' }).tracing?.resource['service.name']).toBe(
    'ignored',
  );
});
