import type { Connection } from 'mongoose';
import { dbOf } from './connect.ts';
import { isUnknownReadConcern } from './database-errors.ts';
import { REQUEST_EXCHANGE_MILLIS } from './exchange-limit.ts';
import type { Greeting } from './server-greeting.ts';

/** An exchange begins only if a majority has confirmed the primary within this time. */
const MAX_AGE_MILLIS = 10_000;

/** An answer shows every change that was answered this long before: see {@link ConfirmedPrimary}. */
export const MAX_STALE_MILLIS = MAX_AGE_MILLIS + REQUEST_EXCHANGE_MILLIS;

const INTERVAL_MILLIS = 3_000;
const RETRY_MILLIS = 500;

/** Milliseconds by two clocks: one stands still while the machine is suspended, the other may be set back. */
interface Moment {
  elapsed: number;
  timeOfDay: number;
}

const realTime = (): Moment => ({ elapsed: performance.now(), timeOfDay: Date.now() });

/**
 * Knows whether the member that requests read from was the primary of the majority a moment ago.
 *
 * Two members may take themselves for the primary at the same time
 * (https://www.mongodb.com/docs/manual/core/replica-set-primary/, the footnote): one that is cut off from the majority steps down
 * only after `settings.electionTimeoutMillis`, 10 s by default. Until then it answers reads without what the other side has
 * changed, such as a revoked token, also with read concern `majority` (https://jira.mongodb.org/browse/SERVER-89619). A
 * linearizable read succeeds only after a majority has confirmed its member as the primary, and shows all that was acknowledged
 * by a majority before it began (https://www.mongodb.com/docs/manual/reference/read-concern-linearizable/). Afterwards the
 * driver takes no member of an earlier election for the primary (https://github.com/mongodb/specifications, "Server Discovery
 * And Monitoring", electionId). So a read
 * within {@link MAX_AGE_MILLIS} after such a read began is no older than that, and its exchange ends within
 * REQUEST_EXCHANGE_MILLIS, whatever the settings of the replica set are.
 */
export class ConfirmedPrimary {
  #confirmedAt: Moment | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #running = Promise.resolve();

  /**
   * @param confirm makes a linearizable read, and rejects if it fails
   * @param time real time: a process that stands still ages, too
   */
  constructor(
    private readonly confirm: () => Promise<unknown>,
    private readonly time: () => Moment = realTime,
  ) {}

  /** True if an exchange may begin. */
  get isConfirmed(): boolean {
    if (!this.#confirmedAt) {
      return false;
    }
    const { elapsed, timeOfDay } = this.time();
    const age = Math.max(elapsed - this.#confirmedAt.elapsed, timeOfDay - this.#confirmedAt.timeOfDay);
    return age < MAX_AGE_MILLIS;
  }

  /** Asks once. @returns false if the primary was not confirmed; an earlier confirmation still holds for its time */
  async ask(): Promise<boolean> {
    // Only what was acknowledged before the read began is certain to be in it.
    const begunAt = this.time();
    try {
      await this.confirm();
    } catch {
      return false;
    }
    this.#confirmedAt = begunAt;
    return true;
  }

  /** Asks now, and then again and again. Resolves after the first time; it never rejects. */
  start(): Promise<void> {
    this.#running = this.ask().then((isConfirmed) => {
      if (!this.#isStopped) {
        const pauseMillis = isConfirmed ? INTERVAL_MILLIS : RETRY_MILLIS;
        this.#timer = setTimeout(() => this.start(), pauseMillis).unref();
      }
    });
    return this.#running;
  }

  /** Resolves when a running read has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }
}

/**
 * Asks the database whether it has a majority that can confirm a primary, and lets it do so once.
 * @param confirm makes a linearizable read
 * @param onUnknown gets the refusal of a replica set that does not know linearizable reads, as services that are compatible with
 *   MongoDB may be
 * @returns false for a lone server, and after `onUnknown`
 * @throws what `confirm` throws
 */
export async function canConfirm(
  connection: Connection,
  confirm: () => Promise<unknown>,
  onUnknown: (refusal: unknown) => void,
): Promise<boolean> {
  const { setName, msg }: Greeting = await dbOf(connection).admin().command({ hello: 1 });
  if (setName === undefined && msg !== 'isdbgrid') {
    return false;
  }
  try {
    await confirm();
    return true;
  } catch (error) {
    if (!isUnknownReadConcern(error)) {
      throw error;
    }
    onUnknown(error);
    return false;
  }
}

/**
 * Follows what the driver knows of the members.
 * @returns a function: true while members of the replica set answer, but none is the primary
 */
export function followPrimary(connection: Connection): () => boolean {
  let isMissing = false;
  connection.getClient().on('topologyDescriptionChanged', ({ newDescription: { type, servers } }) => {
    const answers = [...servers.values()].some((server) => server.type !== 'Unknown');
    isMissing = type === 'ReplicaSetNoPrimary' && answers;
  });
  return () => isMissing;
}
