import {
  SERVICE_ID,
  type SecretDigest,
  type ServiceSecrets,
  secretDigest,
} from '../auth/service-authentication.ts';
import type { SettingsReader } from './settings-reader.ts';

const CLIENTS = 'INTROSPECTION_CLIENTS';
const DIGEST = /^[0-9a-f]{64}$/i;

/**
 * Reads the services that may ask whose token it is: `<id>:<SHA-256 of its secret in hex>`, separated by commas. An id may
 * come twice, with two secrets, so that a secret can be replaced without an interruption.
 * @returns an empty map if no service may ask
 */
export function readServices(read: SettingsReader): ServiceSecrets {
  const secrets = new Map<string, SecretDigest[]>();
  for (const [index, entry] of read.secretList(CLIENTS).entries()) {
    const [id = '', digest = '', ...others] = entry.split(':');
    const problem = others.length > 0 ? SHAPE : problemOf(id, digest, secrets);
    if (problem === undefined) {
      secrets.set(id, [...(secrets.get(id) ?? []), Buffer.from(digest, 'hex')]);
    } else {
      read.problem(CLIENTS, `entry ${index + 1} ${problem}`);
    }
  }
  return secrets;
}

/** Where forward authentication is offered: on the main port, on the metrics port alone, or nowhere. */
export type ForwardAuth = 'main' | 'metrics' | 'off';

/** @param metricsPort undefined if METRICS is off */
export function readForwardAuth(read: SettingsReader, metricsPort: number | undefined): ForwardAuth {
  const choice = read.choice<ForwardAuth>('FORWARD_AUTH', ['main', 'metrics', 'off'], 'main');
  if (choice === 'metrics' && metricsPort === undefined) {
    read.problem('FORWARD_AUTH', 'cannot be metrics if METRICS is off');
  }
  return choice;
}

const SHAPE = 'must be <id>:<SHA-256 of its secret in 64 hex digits>';

/** The problem never contains the entry: somebody may have put the secret itself there. */
function problemOf(id: string, digest: string, secrets: ServiceSecrets): string | undefined {
  if (!DIGEST.test(digest)) {
    return SHAPE;
  }
  if (!SERVICE_ID.test(id)) {
    return 'must have an id of up to 64 letters, digits, ".", "_" and "-"';
  }
  const bytes = Buffer.from(digest, 'hex');
  if (bytes.equals(secretDigest(''))) {
    return 'has the digest of an empty secret';
  }
  return secrets.get(id)?.some((other) => other.equals(bytes)) ? 'is the same as another entry' : undefined;
}
