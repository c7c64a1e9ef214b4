import { validateHeaderName, validateHeaderValue } from '../patches/node-http.ts';
import type { SettingsReader } from './settings-reader.ts';

/** The default port of OpenTelemetry's Prometheus exporters. */
const METRICS_PORT = 9464;

/** @returns undefined if METRICS is off */
export function readMetricsPort(read: SettingsReader, mainPort: number): number | undefined {
  const port = read.integer('METRICS_PORT', { min: 0, max: 65_535, fallback: METRICS_PORT });
  if (!read.toggle('METRICS', false)) {
    return undefined;
  }
  if (port !== 0 && port === mainPort) {
    read.problem('METRICS_PORT', 'must differ from PORT');
  }
  return port;
}

/** The samplers of the OpenTelemetry specification that need no other service. */
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

type SamplerName = (typeof SAMPLERS)[number];

/** Where traces go, and which. The names and meanings are those of the OpenTelemetry specification. */
export interface TracingSettings {
  /** The address that takes traces: OTEL_EXPORTER_OTLP_ENDPOINT with the path of the OTLP. */
  url: string;
  /** Sent with every export. The values are secrets. */
  headers: Readonly<Record<string, string>>;
  sampler: SamplerName;
  /** For the samplers by trace id: the share of sampled traces, from 0 to 1. */
  samplerRatio: number;
  /** What all spans say about this service, `service.name` among them. */
  resource: Readonly<Record<string, string>>;
  /** How long a span may wait for others before they are exported together. */
  exportDelayMillis: number;
}

/** OTLP 1.3, "OTLP/HTTP Request". */
const TRACES_PATH = '/v1/traces';
const DEFAULT_NAME = 'auth-gateway';

/**
 * https://opentelemetry.io/docs/specs/otel/protocol/exporter/ and .../configuration/sdk-environment-variables/
 * @returns undefined without OTEL_EXPORTER_OTLP_ENDPOINT, or with OTEL_SDK_DISABLED=true. Problems are reported either way
 */
export function readTracing(read: SettingsReader): TracingSettings | undefined {
  const endpoint = read.httpUrl('OTEL_EXPORTER_OTLP_ENDPOINT');
  // Only `true` counts, in any case. Everything else is false (section "Boolean").
  const isDisabled = read.text('OTEL_SDK_DISABLED', 'false').toLowerCase() === 'true';
  // Both are sent to the same port, so a setting for all services of a cluster does no harm.
  read.choice('OTEL_EXPORTER_OTLP_PROTOCOL', ['http/json', 'http/protobuf'], 'http/json');
  const settings = {
    headers: readHeaders(read),
    sampler: read.choice<SamplerName>('OTEL_TRACES_SAMPLER', SAMPLERS, 'parentbased_always_on'),
    samplerRatio: readRatio(read),
    resource: readResource(read),
    exportDelayMillis: read.integer('OTEL_BSP_SCHEDULE_DELAY', { min: 1, max: 60_000, fallback: 5000 }),
  };
  return endpoint === undefined || isDisabled ? undefined : { url: `${endpoint}${TRACES_PATH}`, ...settings };
}

function readRatio(read: SettingsReader): number {
  const text = read.text('OTEL_TRACES_SAMPLER_ARG', '1');
  const ratio = Number(text);
  if (!/^\d*\.?\d+$/.test(text) || ratio > 1) {
    read.problem('OTEL_TRACES_SAMPLER_ARG', 'must be a number from 0 to 1, such as 0.25');
    return 1;
  }
  return ratio;
}

/** `service.name` may be in both settings. OTEL_SERVICE_NAME has precedence. */
function readResource(read: SettingsReader): Record<string, string> {
  const attributes = readPairs(read, 'OTEL_RESOURCE_ATTRIBUTES', read.text('OTEL_RESOURCE_ATTRIBUTES', ''));
  const name = read.text('OTEL_SERVICE_NAME', attributes['service.name'] ?? DEFAULT_NAME);
  return { ...attributes, 'service.name': name };
}

function readHeaders(read: SettingsReader): Record<string, string> {
  const key = 'OTEL_EXPORTER_OTLP_HEADERS';
  const headers = readPairs(read, key, read.secret(key));
  try {
    for (const [name, value] of Object.entries(headers)) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    }
  } catch {
    // Node's text contains the header.
    read.problem(key, 'must have names and values that HTTP allows');
  }
  return headers;
}

/** Pairs in the form of the specification: `key=value,key=value`, other characters as %XX. The problem never has a value. */
function readPairs(read: SettingsReader, key: string, text: string): Record<string, string> {
  const pairs: [string, string][] = [];
  for (const [index, entry] of text.split(',').entries()) {
    if (entry.trim() === '') {
      continue;
    }
    const pair = pairOf(entry);
    if (pair) {
      pairs.push(pair);
    } else {
      read.problem(key, `entry ${index + 1} must be key=value, with other characters as %XX`);
    }
  }
  return Object.fromEntries(pairs);
}

function pairOf(entry: string): [string, string] | undefined {
  const [, name = '', value = ''] = /^\s*([^=\s]+)\s*=(.*)$/s.exec(entry) ?? [];
  try {
    const decoded = decodeURIComponent(value.trim());
    return name === '' ? undefined : [name, decoded];
  } catch {
    return undefined;
  }
}
