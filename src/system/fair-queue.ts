import { networksOf } from './networks.ts';

/** A network with waiting jobs, in itself or in the networks within it. */
interface Queue<T> {
  /** How many jobs wait, those of the networks within included. */
  waiting: number;
  /** The networks within, in the order of their turns. */
  readonly within: Map<string, Queue<T>>;
  /** The jobs of an address, the oldest first. */
  readonly jobs: T[];
}

/**
 * Jobs that wait for their turn, in a bounded number of places. Networks take turns: first the widest, then those within it.
 * So a sender delays and displaces only jobs of its own network, however many of its addresses it sends from.
 */
export class FairQueue<T extends object> {
  readonly #all: Queue<T> = newQueue();
  readonly #addresses = new Map<T, string>();

  /** @param places how many jobs may wait */
  constructor(private readonly places: number) {}

  /** How many jobs wait. */
  get size(): number {
    return this.#all.waiting;
  }

  /** True if a job of a network that has none waiting would get no place. */
  get isFull(): boolean {
    return this.size >= this.places && [...this.#all.within.values()].every(({ waiting }) => waiting <= 1);
  }

  /**
   * Lets a job wait. When all places are taken, the network with the most waiting jobs loses its newest one. Among equals that
   * is the new job.
   * @param address of its sender, as {@link networksOf} takes it
   * @returns the job that has lost its place, which may be the new one; undefined if there was a free place
   */
  add(job: T, address: string): T | undefined {
    this.#addresses.set(job, address);
    const queues = [this.#all];
    for (const key of pathOf(address)) {
      const outer = queues.at(-1) ?? this.#all;
      const queue = outer.within.get(key) ?? newQueue<T>();
      outer.within.set(key, queue);
      queues.push(queue);
    }
    queues.at(-1)?.jobs.push(job);
    for (const queue of queues) {
      queue.waiting += 1;
    }
    return this.size > this.places ? this.#dropNewest(queues) : undefined;
  }

  /**
   * Takes the job whose turn it is. Its networks get their next turn after all others.
   * @returns undefined if no job waits
   */
  next(): T | undefined {
    let queue = this.#all;
    while (queue.within.size > 0) {
      queue = giveTurn(queue);
    }
    const job = queue.jobs[0];
    if (job) {
      this.remove(job);
    }
    return job;
  }

  /** Takes a job out before its turn, if it waits. */
  remove(job: T): void {
    const address = this.#addresses.get(job);
    if (address === undefined) {
      return;
    }
    this.#addresses.delete(job);
    let queue = this.#all;
    queue.waiting -= 1;
    for (const key of pathOf(address)) {
      const inner = queue.within.get(key);
      if (!inner) {
        return;
      }
      inner.waiting -= 1;
      if (inner.waiting === 0) {
        queue.within.delete(key);
      }
      queue = inner;
    }
    queue.jobs.splice(queue.jobs.indexOf(job), 1);
  }

  /** @param newcomer the networks of the newest job */
  #dropNewest(newcomer: readonly Queue<T>[]): T | undefined {
    let queue = this.#all;
    while (queue.within.size > 0) {
      queue = largestOf([...queue.within.values()], newcomer);
    }
    const job = queue.jobs.at(-1);
    if (job) {
      this.remove(job);
    }
    return job;
  }
}

const newQueue = <T>(): Queue<T> => ({ waiting: 0, within: new Map(), jobs: [] });

/** A text that is no address may look like a network, so the level belongs to the key. */
const pathOf = (address: string): string[] => networksOf(address).map(({ level, key }) => `${level} ${key}`);

/** Gives the first inner network its turn: it becomes the last one. */
function giveTurn<T>(queue: Queue<T>): Queue<T> {
  for (const [key, inner] of queue.within) {
    queue.within.delete(key);
    queue.within.set(key, inner);
    return inner;
  }
  return queue;
}

/** @param preferred is the result if it is as large as any other */
function largestOf<T>(queues: readonly Queue<T>[], preferred: readonly Queue<T>[]): Queue<T> {
  return queues.reduce((largest, queue) => {
    const isLarger = queue.waiting > largest.waiting;
    const isPreferred = queue.waiting === largest.waiting && preferred.includes(queue);
    return isLarger || isPreferred ? queue : largest;
  });
}
