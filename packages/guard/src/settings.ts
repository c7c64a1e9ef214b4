import type { GuardError } from './guard-error.ts';
import { INTROSPECTION } from './introspection.ts';
import type { GuardOptions } from './types.ts';

/** The checked options. */
export interface Settings {
  /** The address of the gateway's introspection (RFC 7662). */
  endpoint: URL;
  /** The id of this service, for error texts. */
  client: string;
  /** The header with the credentials of this service (RFC 7617). */
  authorization: string;
  cacheMillis: number;
  events: boolean;
  timeoutMillis: number;
  onError: (error: GuardError) => void;
}

/** Longer than the 2 s within which the gateway answers 503 if its database is unreachable. */
const TIMEOUT_MILLIS = 3_000;
/** Timers have 31 bits. With a longer time, such as Infinity, they fire at once. */
const MAX_TIMER_MILLIS = 2 ** 31 - 1;
const EXAMPLE = 'such as https://auth.example.org';

/**
 * Checks the options.
 * @throws TypeError with a sentence that names the option. It does not quote the value, which may be a secret
 */
export function settingsOf(options: GuardOptions): Settings {
  // JavaScript callers may pass nothing at all. What is inherited may come from a polluted Object.prototype.
  const own: Partial<GuardOptions> = Object.assign(Object.create(null), options);
  const { cacheMillis = 0, events = false, timeoutMillis = TIMEOUT_MILLIS, onError = warn } = own;
  const client = textOf('client', own.client);
  const secret = textOf('secret', own.secret);
  demand(!client.includes(':'), 'client', 'must not contain a colon');
  demand(isMillis(cacheMillis), 'cacheMillis', 'must be a number of milliseconds');
  demand(isMillis(timeoutMillis) && timeoutMillis > 0, 'timeoutMillis', 'must be a number of milliseconds');
  demand(typeof events === 'boolean', 'events', 'must be true or false');
  demand(typeof onError === 'function', 'onError', 'must be a function');
  return {
    endpoint: endpointOf(textOf('url', own.url)),
    client,
    authorization: `Basic ${Buffer.from(`${client}:${secret}`).toString('base64')}`,
    cacheMillis,
    events,
    timeoutMillis: Math.min(timeoutMillis, MAX_TIMER_MILLIS),
    onError,
  };
}

function demand(condition: boolean, option: keyof GuardOptions, rule: string): void {
  if (!condition) {
    throw new TypeError(`The option "${option}" of createGuard ${rule}.`);
  }
}

function textOf(option: keyof GuardOptions, value: unknown): string {
  demand(typeof value === 'string' && value !== '', option, 'is required, as a text');
  return value as string;
}

const isMillis = (value: unknown): boolean => typeof value === 'number' && value >= 0;

function endpointOf(url: string): URL {
  const endpoint = URL.canParse(url) ? new URL(url) : undefined;
  // "localhost:4000" is a valid URL with the scheme "localhost".
  const isHttp = endpoint?.protocol === 'http:' || endpoint?.protocol === 'https:';
  demand(isHttp, 'url', `must be an address with http:// or https://, ${EXAMPLE}`);
  const address = endpoint as URL;
  demand(address.username + address.password === '', 'url', 'must not contain a user name or a password');
  address.pathname = `${address.pathname.replace(/\/+$/, '')}${INTROSPECTION}`;
  return address;
}

const warn = (error: GuardError): void => process.emitWarning(error.message, 'AuthGatewayGuard', error.code);
