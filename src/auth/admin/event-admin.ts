import { randomUUID } from 'node:crypto';
import type { EventStore, StoredEvent } from '../../stores/events.ts';
import type { WebhookStore } from '../../stores/webhooks.ts';
import type { Clock } from '../../system/clock.ts';
import { BadRequestError, NotFoundError } from '../../system/errors.ts';
import type { EndpointFigures, EventFigures } from '../events/event-figures.ts';
import { isDelivered, sendWebhook, type WebhookEndpoint } from '../events/webhook.ts';

interface EventAdminParts {
  webhookEndpoints: readonly WebhookEndpoint[];
  events: Pick<EventStore, 'newest'>;
  webhooks: Pick<WebhookStore, 'resume'>;
  eventFigures: EventFigures;
  clock: Clock;
}

/** What operators see and do about published events. */
export class EventAdmin {
  constructor(private readonly parts: EventAdminParts) {}

  /** The newest published events, the newest last. */
  newest(limit: number): Promise<StoredEvent[]> {
    return this.parts.events.newest(limit);
  }

  /** How far the deliveries are. */
  endpoints(): Promise<EndpointFigures[]> {
    return this.parts.eventFigures.endpoints();
  }

  /**
   * Sends a message of the type `test`, which is about nobody. If it arrives, a postponed or disabled delivery continues.
   * @returns the status of the answer
   * @throws NotFoundError if WEBHOOKS has no such endpoint; BadRequestError if the message has not arrived
   */
  async test(name: string): Promise<number> {
    const { webhookEndpoints, webhooks, clock } = this.parts;
    const endpoint = webhookEndpoints.find((one) => one.name === name);
    if (!endpoint) {
      throw new NotFoundError('WEBHOOKS has no endpoint of this name.');
    }
    const id = `test ${randomUUID()}`;
    const now = clock.now();
    const at = new Date(now).toISOString();
    const body = JSON.stringify({ id, type: 'test', at, cause: 'test', account: null, token: null });
    const outcome = await sendWebhook(endpoint, { id, body }, now);
    if ('problem' in outcome) {
      throw new BadRequestError(`The endpoint does not answer: ${outcome.problem}.`);
    }
    if (!isDelivered(outcome)) {
      throw new BadRequestError(`The endpoint answered ${outcome.status}.`);
    }
    await webhooks.resume(name);
    return outcome.status;
  }
}
