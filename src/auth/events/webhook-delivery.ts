import { randomUUID } from 'node:crypto';
import { type EventPlace, type EventStore, placeOf, type StoredEvent } from '../../stores/events.ts';
import {
  CLAIM_MILLIS,
  LONGEST_PAUSE_MILLIS,
  type WebhookProgress,
  type WebhookState,
  type WebhookStore,
} from '../../stores/webhooks.ts';
import { type Clock, repeat, type Schedule } from '../../system/clock.ts';
import type { Logger } from '../../system/log.ts';
import { messageOf } from '../../system/system-errors.ts';
import { presentEvent } from './present-event.ts';
import { isDelivered, sendWebhook, type WebhookEndpoint, type WebhookOutcome } from './webhook.ts';

interface WebhookDeliveryParts {
  webhookEndpoints: readonly WebhookEndpoint[];
  webhooks: WebhookStore;
  events: Pick<EventStore, 'after' | 'lastPlace' | 'lastPosition'>;
  clock: Clock;
  log: Logger;
  send?: typeof sendWebhook;
}

/** How often an instance looks for rows that another one has published. */
const LOOK_MILLIS = 1_000;
const BATCH_SIZE = 100;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** How long to wait after a failure: 5 s, 30 s, 2 min, 10 min, then an hour. */
const PAUSES = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE];
/** An endpoint that has failed for so long, and not only refused, is disabled. */
const MAX_FAILING_MILLIS = 3 * 24 * 60 * MINUTE;
/**
 * After so many refusals of a row each retry tries the next one, too; after as many again, the one behind that. If one is taken, those
 * before it are set aside. A receiver that takes none may have a wrong setting: then all rows wait.
 */
const MAX_REFUSALS = 5;

const GONE = 410;
/** Besides, errors of the sender that a later try may not have: a time-out, too early, too many requests. */
const EXCEPTED: readonly number[] = [GONE, 408, 425, 429];

/** A row that was sent, and what became of it. */
interface SentRow {
  row: StoredEvent;
  outcome: WebhookOutcome;
}

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
  readonly #stopping = new AbortController();
  #isFailing = false;

  constructor(private readonly parts: WebhookDeliveryParts) {}

  /** Begins to look for rows, every second. A stop ends what is being sent: it is sent again later. */
  start(): Pick<Schedule, 'stop'> {
    const looking = repeat(() => this.look(), LOOK_MILLIS, this.parts.clock);
    return {
      stop: async () => {
        this.#stopping.abort();
        await looking.stop();
        await Promise.all(this.#running.values());
      },
    };
  }

  /** Looks for rows now. It never rejects. */
  async look(): Promise<void> {
    const { webhookEndpoints, events, log } = this.parts;
    try {
      const last = await events.lastPosition();
      for (const endpoint of webhookEndpoints) {
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
    } else if (!this.#stopping.signal.aborted && (this.#known.get(name) ?? -1) < last) {
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
      const state = await webhooks.claim(name, claim, new Date(clock.now()));
      if (!state) {
        return;
      }
      let progress: WebhookProgress | undefined;
      try {
        progress = await this.#deliver(endpoint, state, claim);
      } finally {
        await webhooks.release(name, claim, progress ?? {});
      }
      if (progress?.failures === 0) {
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

  /** @returns the last changes of the state; undefined if another instance has the claim by now */
  async #deliver(
    endpoint: WebhookEndpoint,
    begun: WebhookState,
    claim: string,
  ): Promise<WebhookProgress | undefined> {
    const { webhooks, events, clock } = this.parts;
    let state = begun;
    let last: SentRow | undefined;
    const refused: SentRow[] = [];
    for await (const row of this.#rowsBehind(begun)) {
      if (!row) {
        return this.#beginAgain(endpoint, await events.lastPlace());
      }
      if (!endpoint.types.includes(row.type)) {
        state = refused.length > 0 ? state : { ...state, ...placeOf(row) };
        continue;
      }
      const outcome = await this.#send(endpoint, row);
      if (!outcome) {
        return placeIn(state);
      }
      last = { row, outcome };
      let progress: WebhookProgress = {};
      if (isDelivered(outcome)) {
        progress = this.#taken(endpoint, state, last, refused.splice(0));
      } else if (
        !isRefused(outcome) ||
        refused.push(last) > Math.floor((state.refusals + 1) / MAX_REFUSALS)
      ) {
        break;
      }
      state = { ...state, ...progress };
      const claimedUntil = new Date(clock.now() + CLAIM_MILLIS);
      if (!(await webhooks.save(endpoint.name, claim, { ...progress, claimedUntil }))) {
        return undefined;
      }
    }
    return last && !isDelivered(last.outcome)
      ? this.#postponed(endpoint, state, last, refused.length)
      : { ...placeIn(state), failures: state.failures };
  }

  /** The rows behind a place, of all types; undefined if the row of the place is gone. */
  async *#rowsBehind(place: EventPlace): AsyncGenerator<StoredEvent | undefined> {
    for (let behind = place, isLast = false; !isLast; ) {
      const rows = await this.parts.events.after(behind, BATCH_SIZE);
      yield* rows ?? [undefined];
      const last = rows?.at(-1);
      behind = last ? placeOf(last) : behind;
      isLast = rows?.length !== BATCH_SIZE;
    }
  }

  /** @returns undefined if a stop has kept it from being sent, or has ended it */
  async #send(endpoint: WebhookEndpoint, row: StoredEvent): Promise<WebhookOutcome | undefined> {
    const { clock, send = sendWebhook } = this.parts;
    const { signal: stopping } = this.#stopping;
    if (stopping.aborted) {
      return undefined;
    }
    const event = presentEvent(row);
    const message = { id: event.id, body: JSON.stringify(event) };
    const sending = (async () => send(endpoint, message, clock.now(), { stopping }))();
    const outcome = await sending.catch((error: unknown) => ({ problem: messageOf(error) }));
    return stopping.aborted && 'problem' in outcome ? undefined : outcome;
  }

  #taken(
    endpoint: WebhookEndpoint,
    state: WebhookState,
    { row, outcome }: SentRow,
    refused: readonly SentRow[],
  ): WebhookProgress {
    for (const one of refused) {
      this.#warn(endpoint, one, 'an event that a webhook refuses again and again was set aside');
    }
    return {
      ...placeOf(row),
      ...{ failures: 0, refusals: 0, failingSince: null, lastOutcome: textOf(outcome) },
      lastDeliveredAt: new Date(this.parts.clock.now()),
      setAside: state.setAside + refused.length,
    };
  }

  #postponed(
    endpoint: WebhookEndpoint,
    state: WebhookState,
    last: SentRow,
    refusedRows: number,
  ): WebhookProgress {
    const now = this.parts.clock.now();
    const { outcome } = last;
    const hasRefused = isRefused(outcome);
    const failingSince = state.failingSince ?? (hasRefused ? null : new Date(now));
    const isGone = 'status' in outcome && outcome.status === GONE;
    const isOver = !hasRefused && now - Number(failingSince) >= MAX_FAILING_MILLIS;
    if (isGone || isOver) {
      this.#warn(endpoint, last, 'a webhook was disabled: nothing is sent to it any more');
    } else if (state.failures === 0) {
      this.#warn(endpoint, last, 'a webhook does not take an event; it is tried again');
    }
    // Each of the rows is to be refused so often, not the first one alone.
    const refusals = Math.min(state.refusals + 1, MAX_REFUSALS * refusedRows);
    return {
      ...{ ...placeIn(state), failures: state.failures + 1, failingSince, lastOutcome: textOf(outcome) },
      refusals: hasRefused ? refusals : state.refusals,
      nextAttemptAt: new Date(now + (PAUSES[state.failures] ?? LONGEST_PAUSE_MILLIS)),
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

  #warn({ name }: WebhookEndpoint, { row, outcome }: SentRow, text: string): void {
    this.parts.log.warn({ endpoint: name, outcome: textOf(outcome), event: row.event }, text);
  }
}

const placeIn = ({ position, event }: EventPlace): EventPlace => ({ position, event });

const textOf = (outcome: WebhookOutcome): string =>
  'status' in outcome ? String(outcome.status) : outcome.problem;

/** True for an error of the sender that no later try corrects. */
const isRefused = (outcome: WebhookOutcome): boolean =>
  'status' in outcome && outcome.status >= 400 && outcome.status < 500 && !EXCEPTED.includes(outcome.status);
