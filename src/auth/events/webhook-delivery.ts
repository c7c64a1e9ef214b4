import { randomUUID } from 'node:crypto';
import { type EventPlace, type EventStore, placeOf, type StoredEventRow } from '../../stores/events.ts';
import type { WebhookProgress, WebhookState, WebhookStore } from '../../stores/webhooks.ts';
import { type Clock, repeat, type Schedule } from '../../system/clock.ts';
import type { Logger } from '../../system/log.ts';
import { presentEvent } from './present-event.ts';
import { isDelivered, sendWebhook, type WebhookEndpoint, type WebhookOutcome } from './webhook.ts';

interface WebhookDeliveryParts {
  endpoints: readonly WebhookEndpoint[];
  webhooks: WebhookStore;
  events: Pick<EventStore, 'after' | 'lastPlace' | 'lastPosition'>;
  clock: Clock;
  log: Logger;
  send?: typeof sendWebhook;
}

/** How often an instance looks for rows that another one has published. */
const LOOK_MILLIS = 1_000;
/** Far longer than one try takes. */
const CLAIM_MILLIS = 60_000;
const BATCH_SIZE = 100;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** How long to wait after a failure: 5 s, 30 s, 2 min, 10 min, then an hour. */
const PAUSES = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE];
const LAST_PAUSE = 60 * MINUTE;
/** An endpoint that has failed for so long is disabled. */
const MAX_FAILING_MILLIS = 3 * 24 * 60 * MINUTE;
/** A row that was refused so often is set aside, so that it does not stop the others. */
const MAX_REFUSALS = 5;

const GONE = 410;
/** Errors of the sender that a later try may not have: a time-out, too early, too many requests. */
const TEMPORARY: readonly number[] = [408, 425, 429];

/** Whether the next row may be sent. */
type Next = 'continue' | 'stop';

/**
 * Sends the published events to endpoints, by Standard Webhooks. Each endpoint gets its rows one after the other, in their order, from
 * one instance at a time; after a kill perhaps one of them again, with the same id.
 */
export class WebhookDelivery {
  /** Behind which positions the endpoints have nothing to get, as far as this instance knows. */
  readonly #known = new Map<string, number>();
  readonly #opened = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #isBehind = new Set<string>();
  #isStopping = false;
  #isFailing = false;

  constructor(private readonly parts: WebhookDeliveryParts) {}

  /** Begins to look for rows, every second. */
  start(): Pick<Schedule, 'stop'> {
    const looking = repeat(() => this.look(), LOOK_MILLIS, this.parts.clock);
    return {
      stop: async () => {
        this.#isStopping = true;
        await looking.stop();
        await Promise.all(this.#running.values());
      },
    };
  }

  /** Looks for rows now. It never rejects. */
  async look(): Promise<void> {
    const { endpoints, events, log } = this.parts;
    try {
      const last = await events.lastPosition();
      for (const endpoint of endpoints) {
        this.#begin(endpoint, last);
      }
      this.#isFailing = false;
    } catch (err) {
      if (!this.#isFailing) {
        log.warn({ err }, 'webhooks wait for the database');
      }
      this.#isFailing = true;
    }
  }

  /** @param last the newest position */
  #begin(endpoint: WebhookEndpoint, last: number): void {
    const { name } = endpoint;
    if (this.#running.has(name)) {
      // It may have read the rows before the newest one was there.
      this.#isBehind.add(name);
    } else if (!this.#isStopping && (this.#known.get(name) ?? -1) < last) {
      const run = this.#run(endpoint, last).finally(() => {
        this.#running.delete(name);
        if (this.#isBehind.delete(name)) {
          void this.look();
        }
      });
      this.#running.set(name, run);
    }
  }

  async #run(endpoint: WebhookEndpoint, last: number): Promise<void> {
    const { webhooks, clock, log } = this.parts;
    const { name } = endpoint;
    const claim = randomUUID();
    try {
      await this.#open(name);
      const now = clock.now();
      const state = await webhooks.claim(name, claim, new Date(now), new Date(now + CLAIM_MILLIS));
      if (!state) {
        return;
      }
      let progress: WebhookProgress = {};
      try {
        progress = await this.#deliver(endpoint, state, claim);
      } finally {
        await webhooks.release(name, claim, progress);
      }
      if (progress.failures === undefined || progress.failures === 0) {
        this.#known.set(name, Math.max(last, progress.position ?? 0));
      }
    } catch (err) {
      log.warn({ err, endpoint: name }, 'the delivery to a webhook was interrupted');
    }
  }

  /** A new endpoint gets what happens from now on. */
  async #open(name: string): Promise<void> {
    const { webhooks, events, clock } = this.parts;
    if (!this.#opened.has(name)) {
      await webhooks.open(name, await events.lastPlace(), new Date(clock.now()));
      this.#opened.add(name);
    }
  }

  /** @returns the last changes of the state */
  async #deliver(endpoint: WebhookEndpoint, begun: WebhookState, claim: string): Promise<WebhookProgress> {
    const { webhooks, events, clock } = this.parts;
    let state = begun;
    for (;;) {
      const rows = await events.after(state, BATCH_SIZE);
      if (!rows) {
        return this.#beginAgain(endpoint, await events.lastPlace());
      }
      for (const row of rows) {
        if (this.#isStopping) {
          return placeIn(state);
        }
        if (!endpoint.types.includes(row.type)) {
          state = { ...state, ...placeOf(row) };
          continue;
        }
        const { progress, next } = await this.#attempt(endpoint, state, row);
        state = { ...state, ...progress };
        const claimedUntil = new Date(clock.now() + CLAIM_MILLIS);
        const isOwn = await webhooks.save(endpoint.name, claim, { ...progress, claimedUntil });
        if (next === 'stop' || !isOwn) {
          return progress;
        }
      }
      if (rows.length < BATCH_SIZE) {
        return { ...placeIn(state), failures: state.failures };
      }
    }
  }

  async #attempt(
    endpoint: WebhookEndpoint,
    state: WebhookState,
    row: StoredEventRow,
  ): Promise<{ progress: WebhookProgress; next: Next }> {
    const { clock, send = sendWebhook } = this.parts;
    const message = { id: row.event, body: JSON.stringify(presentEvent(row)) };
    const outcome = await send(endpoint, message, clock.now());
    const lastOutcome = 'status' in outcome ? String(outcome.status) : outcome.problem;
    const tried = { lastOutcome, failures: 0, refusals: 0, failingSince: null };
    if (isDelivered(outcome)) {
      const lastDeliveredAt = new Date(clock.now());
      return { progress: { ...tried, ...placeOf(row), lastDeliveredAt }, next: 'continue' };
    }
    if (isRefused(outcome) && state.refusals + 1 >= MAX_REFUSALS) {
      this.#warn(endpoint, lastOutcome, row, 'an event that a webhook refuses again and again was set aside');
      return { progress: { ...tried, ...placeOf(row), setAside: state.setAside + 1 }, next: 'continue' };
    }
    return { progress: this.#failed(endpoint, state, outcome, lastOutcome, row), next: 'stop' };
  }

  #failed(
    endpoint: WebhookEndpoint,
    state: WebhookState,
    outcome: WebhookOutcome,
    lastOutcome: string,
    row: StoredEventRow,
  ): WebhookProgress {
    const now = this.parts.clock.now();
    const failingSince = state.failingSince ?? new Date(now);
    const isGone = 'status' in outcome && outcome.status === GONE;
    const isOver = now - failingSince.getTime() >= MAX_FAILING_MILLIS;
    if (isGone || isOver) {
      this.#warn(endpoint, lastOutcome, row, 'a webhook was disabled: nothing is sent to it any more');
    } else if (state.failures === 0) {
      this.#warn(endpoint, lastOutcome, row, 'a webhook does not take an event; it is tried again');
    }
    return {
      ...placeIn(state),
      failures: state.failures + 1,
      refusals: state.refusals + (isRefused(outcome) ? 1 : 0),
      failingSince,
      lastOutcome,
      nextAttemptAt: new Date(now + (PAUSES[state.failures] ?? LAST_PAUSE)),
      ...((isGone || isOver) && { disabledAt: new Date(now) }),
    };
  }

  /** The database is an older one, or the endpoint has failed for longer than events are kept. */
  #beginAgain({ name }: WebhookEndpoint, place: EventPlace): WebhookProgress {
    this.parts.log.error(
      { endpoint: name },
      'events for a webhook are gone: it must read the state of all accounts',
    );
    return { ...place, failures: 0, refusals: 0, failingSince: null };
  }

  #warn({ name }: WebhookEndpoint, outcome: string, { event }: StoredEventRow, text: string): void {
    this.parts.log.warn({ endpoint: name, outcome, event }, text);
  }
}

const placeIn = ({ position, event }: EventPlace): EventPlace => ({ position, event });

/** True for an error of the sender that no later try will mend. */
const isRefused = (outcome: WebhookOutcome): boolean =>
  'status' in outcome && outcome.status >= 400 && outcome.status < 500 && !TEMPORARY.includes(outcome.status);
