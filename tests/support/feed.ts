import { jsonOf, send } from './http.ts';
import { basic, clientEntry } from './services.ts';

/** A service that may read all events. */
export const RECORDS = { id: 'records', secret: 'records-secret-of-at-least-forty-characters' };
/** One that may read only those of accounts. */
export const BILLING = { id: 'billing', secret: 'billing-secret-of-at-least-forty-characters' };
/** One that may read only those of doctors. */
export const PRACTICE = { id: 'practice', secret: 'practice-secret-of-at-least-forty-characters' };
/** One that may ask about tokens alone. */
export const STRANGER = { id: 'stranger', secret: 'stranger-secret-of-at-least-forty-characters' };

export const FEED = {
  INTROSPECTION_CLIENTS: [RECORDS, BILLING, PRACTICE, STRANGER].map(clientEntry).join(','),
  EVENT_CLIENTS: 'records=*; billing=account.*; practice=doctor.*',
};

/** An event as a service gets it. */
export interface FeedEvent {
  id: string;
  type: string;
  at: string;
  cause: string;
  account: { id: string; role: string | null; state: string; verification: string | null } | null;
  token: string | null;
}

export interface FeedAnswer {
  events: FeedEvent[];
  next: string;
}

type Service = typeof RECORDS;

/** Asks for events. */
export const askFeed = (url: string, query: Record<string, string>, service: Service = RECORDS) =>
  send(`${url}/events?${new URLSearchParams(query)}`, { headers: basic(service.id, service.secret) });

/** Reads events, and expects that it succeeds. */
export async function readFeed(
  url: string,
  query: Record<string, string>,
  service?: Service,
): Promise<FeedAnswer> {
  const http = await askFeed(url, query, service);
  const body: unknown = jsonOf(http);
  if (http.status !== 200) {
    throw new Error(`the feed answered ${http.status}: ${JSON.stringify(body)}`);
  }
  return body as FeedAnswer;
}

/** Reads all events behind a cursor, until there are none. */
export async function readAll(url: string, after: string): Promise<FeedAnswer> {
  const events: FeedEvent[] = [];
  let next = after;
  for (;;) {
    const page = await readFeed(url, { after: next });
    events.push(...page.events);
    next = page.next;
    if (page.events.length === 0) {
      return { events, next };
    }
  }
}

/** Asks for the state of accounts. */
export const askAccounts = (url: string, body: unknown, service: Service = RECORDS) =>
  send(`${url}/events/accounts`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...basic(service.id, service.secret) },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
