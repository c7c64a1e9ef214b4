import { typesOf } from '../auth/events/event-clients.ts';
import type { WebhookEndpoint } from '../auth/events/webhook.ts';
import { hostOf, isLoopback } from './loopback.ts';
import type { SettingsReader } from './settings-reader.ts';

const KEY = 'WEBHOOKS';
const MAX_ENDPOINTS = 50;
const NAME = /^[\w.-]{1,64}$/;

/** Standard Webhooks 1.0: 24 to 64 random bytes in Base64. */
const SECRET = /^whsec_([A-Za-z0-9+/]{32,86}={0,2})$/;
const [MIN_KEY_BYTES, MAX_KEY_BYTES] = [24, 64];

/**
 * Reads where events are sent to: a list in JSON, of objects with `name`, `url`, `types` and `secrets`.
 * @returns an empty list if they are sent nowhere
 */
export function readWebhooks(read: SettingsReader): readonly WebhookEndpoint[] {
  const text = read.secretLines(KEY).join('\n');
  if (text === '') {
    return [];
  }
  const sent = parsed(text);
  if (!Array.isArray(sent) || sent.length > MAX_ENDPOINTS) {
    read.problem(
      KEY,
      `must be a JSON list of up to ${MAX_ENDPOINTS} objects with name, url, types and secrets`,
    );
    return [];
  }
  const endpoints: WebhookEndpoint[] = [];
  for (const [index, entry] of sent.entries()) {
    const endpoint = endpointOf(Object(entry), endpoints);
    if (typeof endpoint === 'string') {
      read.problem(KEY, `entry ${index + 1} ${endpoint}`);
    } else {
      endpoints.push(endpoint);
    }
  }
  return endpoints;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const FIELDS = ['name', 'url', 'types', 'secrets'];

/** @returns the problem, if there is one. It never contains a text of the entry, which may be a secret */
function endpointOf(
  entry: Record<string, unknown>,
  others: readonly WebhookEndpoint[],
): WebhookEndpoint | string {
  const { name, url, types, secrets } = entry;
  if (Object.keys(entry).some((field) => !FIELDS.includes(field))) {
    return `must have only ${FIELDS.join(', ')}`;
  }
  if (typeof name !== 'string' || !NAME.test(name)) {
    return 'must have a name of up to 64 letters, digits, ".", "_" and "-"';
  }
  if (others.some((other) => other.name === name)) {
    return 'has the name of another entry';
  }
  if (typeof url !== 'string' || !isAllowed(url)) {
    return 'must have a url with https, or with http to this machine, and without user and fragment';
  }
  const known =
    Array.isArray(types) && types.every((type) => typeof type === 'string') && typesOf(types.join(','));
  if (!known) {
    return 'must have types such as ["account.*", "doctor.verified"]';
  }
  const keys = Array.isArray(secrets) ? secrets.map(keyOf) : [];
  if (keys.length < 1 || keys.length > 2 || keys.includes(undefined)) {
    return 'must have one or two secrets, whsec_ and 24 to 64 bytes in Base64';
  }
  return { name, url, types: known, keys: keys as Buffer[] };
}

function keyOf(secret: unknown): Buffer | undefined {
  const [, encoded = ''] = SECRET.exec(String(secret)) ?? [];
  const key = Buffer.from(encoded, 'base64');
  return key.length >= MIN_KEY_BYTES && key.length <= MAX_KEY_BYTES ? key : undefined;
}

function isAllowed(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || [url.username, url.password, url.hash].some((part) => part !== '')) {
    return false;
  }
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(hostOf(url)));
}
