import { createHmac } from 'node:crypto';
import { request, requestHttps } from '../../patches/node-http.ts';
import type { EventType } from '../../stores/events.ts';
import { ownVersion } from '../../system/own-package.ts';
import { messageOf } from '../../system/system-errors.ts';

/** Where events are sent to (WEBHOOKS). */
export interface WebhookEndpoint {
  /** Unique, as a label of metrics. */
  name: string;
  url: string;
  types: readonly EventType[];
  /** The keys of its signatures: two while one is being replaced. */
  keys: readonly Buffer[];
}

/** What an endpoint has answered: a status, or why there is none. */
export type WebhookOutcome = { status: number } | { problem: string };

export const isDelivered = (outcome: WebhookOutcome): boolean =>
  'status' in outcome && outcome.status >= 200 && outcome.status < 300;

/** An answer takes this long at most, from the beginning of the connection. */
const TIMEOUT_MILLIS = 10_000;

/**
 * The signatures of a message (Standard Webhooks 1.0, "Signature scheme").
 * @param seconds since the epoch
 */
export const signaturesOf = (keys: readonly Buffer[], id: string, seconds: number, body: string): string =>
  keys
    .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`)
    .join(' ');

/**
 * Sends a message. A redirect is not followed, the environment's proxies are not used, and the connection is closed as soon as the
 * status is there: an answer may be endless.
 * @param id the same for each try. Receivers know by it what they have
 * @param now in milliseconds. Each try has a timestamp and signatures of its own
 * @param stopping ends it at once
 */
export function sendWebhook(
  { url, keys }: Pick<WebhookEndpoint, 'url' | 'keys'>,
  { id, body }: { id: string; body: string },
  now: number,
  { timeoutMillis = TIMEOUT_MILLIS, stopping }: { timeoutMillis?: number; stopping?: AbortSignal } = {},
): Promise<WebhookOutcome> {
  const seconds = Math.floor(now / 1_000);
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
    'User-Agent': `auth-gateway/${ownVersion()}`,
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signaturesOf(keys, id, seconds, body),
  };
  const send = url.startsWith('https:') ? requestHttps : request;
  const signal = AbortSignal.timeout(timeoutMillis);
  return new Promise((resolve) => {
    const stop = () => sent.destroy();
    const settle = (outcome: WebhookOutcome) => {
      stopping?.removeEventListener('abort', stop);
      resolve(outcome);
    };
    const sent = send(url, { method: 'POST', headers, agent: false, signal }, (response) => {
      settle({ status: response.statusCode ?? 0 });
      response.destroy();
    });
    sent.on('error', (error) => {
      const problem = signal.aborted ? `no answer within ${timeoutMillis / 1_000} s` : problemOf(error);
      settle({ problem });
    });
    // Node reports neither an answer nor an error for one that switches to another protocol (101).
    sent.once('close', () => settle({ problem: 'closed without an answer' }));
    stopping?.addEventListener('abort', stop);
    sent.end(body);
  });
}

/** Without what the endpoint has sent. */
const problemOf = (error: Error & { code?: unknown }): string =>
  typeof error.code === 'string' ? error.code : messageOf(error);
