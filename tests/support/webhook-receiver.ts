import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import type { FeedEvent } from './feed.ts';
import { testClock } from './test-app.ts';

export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** A receiver of webhooks. */
export interface WebhookReceiver {
  url: string;
  secret: string;
  /** What it has received, each verified by the library of Standard Webhooks. */
  received: { event: FeedEvent; headers: Record<string, string>; status: number }[];
  /** What it answers; by default 204. */
  answer(how: number | ((res: ServerResponse, req: IncomingMessage) => void)): void;
  stop(): Promise<void>;
}

/** The library refuses what is older or newer than five minutes, by the time of the machine. */
function verified(secret: string, body: string, headers: Record<string, string>): FeedEvent {
  const { now } = Date;
  Date.now = () => testClock.now();
  try {
    return new Webhook(secret).verify(body, headers) as FeedEvent;
  } finally {
    Date.now = now;
  }
}

export async function startReceiver(secret = newWebhookSecret()): Promise<WebhookReceiver> {
  const received: WebhookReceiver['received'] = [];
  let how: Parameters<WebhookReceiver['answer']>[0] = 204;
  const server = createServer(async (req, res) => {
    const body = await text(req);
    const headers = req.headers as Record<string, string>;
    const event = verified(secret, body, headers);
    const status = typeof how === 'number' ? how : 0;
    received.push({ event, headers, status });
    if (typeof how === 'number') {
      res.writeHead(how).end();
    } else {
      how(res, req);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    secret,
    received,
    answer: (next) => {
      how = next;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
