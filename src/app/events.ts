import { EventAccounts } from '../auth/events/event-accounts.ts';
import { EventFeed } from '../auth/events/event-feed.ts';
import { EventFigures } from '../auth/events/event-figures.ts';
import { EventPublisher } from '../auth/events/event-publisher.ts';
import { WebhookDelivery } from '../auth/events/webhook-delivery.ts';
import type { Config } from '../config/config.ts';
import { CLOCK_TOLERANCE_MILLIS, repeat, type Schedule } from '../system/clock.ts';
import type { Domain } from './domain.ts';

/** What services behind the gateway hear of. */
export interface Events {
  /** undefined if no service reads the feed. */
  feed: EventFeed | undefined;
  eventAccounts: EventAccounts;
  eventFigures: EventFigures;
  /** Starts to publish, and to remove what is old. @returns what stops it */
  start(): Pick<Schedule, 'stop'>;
}

interface EventsParts {
  config: Pick<Config, 'eventClients' | 'eventRetentionMillis' | 'webhooks'>;
  domain: Pick<Domain, 'stores' | 'audit' | 'clock' | 'log'>;
  /** Ends all waiting requests. */
  stopping: AbortSignal;
}

const HOUR_MILLIS = 3_600_000;

/** @returns undefined if no service hears of anything: then nothing is published */
export function openEvents({ config, domain, stopping }: EventsParts): Events | undefined {
  const { stores, audit, clock, log } = domain;
  const { eventClients, webhooks: endpoints } = config;
  if (eventClients.size === 0 && endpoints.length === 0) {
    return undefined;
  }
  const { auditEvents, events, webhooks } = stores;
  const eventAccounts = new EventAccounts(stores);
  const feed = eventClients.size > 0 ? new EventFeed({ events, clock }, stopping) : undefined;
  const publisher = new EventPublisher({ audit, auditEvents, events, eventAccounts, clock, log });
  const delivery =
    endpoints.length > 0 ? new WebhookDelivery({ endpoints, webhooks, events, clock, log }) : undefined;
  publisher.onPublished(() => {
    feed?.wake();
    void delivery?.look();
  });
  const removeOld = async (signal: AbortSignal) => {
    try {
      const now = clock.now();
      const future = new Date(now + CLOCK_TOLERANCE_MILLIS);
      await events.removeBefore(new Date(now - config.eventRetentionMillis), future, signal);
    } catch (err) {
      log.warn({ err }, 'old events were not removed; it is tried again every hour');
    }
  };
  return {
    feed,
    eventAccounts,
    eventFigures: new EventFigures({ ...stores, endpoints, clock }),
    start: () => {
      const stopPublisher = publisher.start();
      const removal = repeat(removeOld, HOUR_MILLIS, clock);
      const delivering = delivery?.start();
      return {
        stop: async () => {
          await Promise.all([stopPublisher(), removal.stop(), delivering?.stop()]);
        },
      };
    },
  };
}
