import { EventAccounts } from '../auth/events/event-accounts.ts';
import { EventFeed } from '../auth/events/event-feed.ts';
import { EventPublisher } from '../auth/events/event-publisher.ts';
import { WebhookDelivery } from '../auth/events/webhook-delivery.ts';
import type { Config } from '../config/config.ts';
import { CLOCK_TOLERANCE_MILLIS, repeat, type Schedule } from '../system/clock.ts';
import type { Domain } from './domain.ts';

type EventsBasis = Domain & {
  /** Ends all waiting requests. */
  stopping: AbortSignal;
};

/** What services behind the gateway hear of. */
export type Events = ReturnType<typeof openEvents>;

const HOUR_MILLIS = 3_600_000;

/** Builds the feed and the webhooks. If no service hears of anything, nothing is published. */
export function openEvents({ eventClients, webhooks, eventRetentionMillis }: Config, basis: EventsBasis) {
  const parts = { ...basis, eventAccounts: new EventAccounts(basis) };
  const { eventAccounts, events, stopping, clock, log } = parts;
  const eventFeed = eventClients.size > 0 ? new EventFeed(parts, stopping) : undefined;
  const delivery = webhooks.length > 0 ? new WebhookDelivery(parts) : undefined;
  const removeOld = async (signal: AbortSignal) => {
    try {
      const now = clock.now();
      const future = new Date(now + CLOCK_TOLERANCE_MILLIS);
      await events.removeBefore(new Date(now - eventRetentionMillis), future, signal);
    } catch (err) {
      log.warn({ err }, 'old events were not removed; it is tried again every hour');
    }
  };
  const publisher = eventFeed || delivery ? new EventPublisher(parts) : undefined;
  publisher?.onPublished(() => {
    eventFeed?.wake();
    void delivery?.look();
  });
  return {
    eventAccounts,
    /** undefined if no service reads the feed. */
    eventFeed,
    /** Publishes events, and removes old ones; undefined if no service hears of anything. */
    publishing: publisher && {
      start: (): Pick<Schedule, 'stop'> => {
        const stopPublisher = publisher.start();
        const removal = repeat(removeOld, HOUR_MILLIS, clock);
        const delivering = delivery?.start();
        return {
          stop: async () => {
            await Promise.all([stopPublisher(), removal.stop(), delivering?.stop()]);
          },
        };
      },
    },
  };
}
