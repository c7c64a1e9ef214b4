import type { AuditEventStore } from '../../stores/audit-events.ts';
import type { EventStore } from '../../stores/events.ts';
import type { WebhookState, WebhookStore } from '../../stores/webhooks.ts';
import type { Clock } from '../../system/clock.ts';
import type { WebhookEndpoint } from './webhook.ts';

interface EventFiguresParts {
  webhookEndpoints: readonly WebhookEndpoint[];
  auditEvents: Pick<AuditEventStore, 'oldestUnpublished'>;
  events: Pick<EventStore, 'after'>;
  webhooks: Pick<WebhookStore, 'states'>;
  clock: Clock;
}

/** How far the delivery to an endpoint is. */
export interface EndpointFigures {
  name: string;
  /** undefined if no gateway has begun to deliver to it. */
  state: WebhookState | undefined;
  /** How long the oldest row has waited for it, in milliseconds; 0 if none waits. */
  waitingMillis: number;
}

/** Of the rows behind the place of an endpoint. The first ones decide. */
const EXAMINED = 500;

/** How long events wait. */
export class EventFigures {
  constructor(private readonly parts: EventFiguresParts) {}

  /** How long the oldest event has waited for its position, in milliseconds; 0 if none waits. */
  async unpublishedMillis(): Promise<number> {
    const oldest = await this.parts.auditEvents.oldestUnpublished();
    return this.#since(oldest);
  }

  /** Each endpoint of the settings. */
  async endpoints(): Promise<EndpointFigures[]> {
    const { webhookEndpoints, webhooks } = this.parts;
    const states = await webhooks.states(webhookEndpoints.map(({ name }) => name));
    return Promise.all(
      webhookEndpoints.map(async ({ name, types }) => {
        const state = states.find(({ _id }) => _id === name);
        const behind = state && (await this.parts.events.after(state, EXAMINED));
        const oldest = behind?.find(({ type }) => types.includes(type));
        return { name, state, waitingMillis: this.#since(oldest?.publishedAt) };
      }),
    );
  }

  #since(moment: Date | undefined): number {
    return moment ? Math.max(0, this.parts.clock.now() - moment.getTime()) : 0;
  }
}
