import { networksOf } from './networks.ts';

/** A network with waiting jobs, in itself or in the networks within it. */
interface Line<T> {
  /** How many jobs wait, those of the networks within included. */
  waiting: number;
  /** The networks within, in the order of their turns. */
  readonly within: Map<string, Line<T>>;
  /** The jobs of an address, the oldest first. */
  readonly jobs: T[];
}

/**
 * Jobs that wait for their turn, in a bounded number of places. Networks take turns: first the widest, then those within it.
 * So a sender delays and displaces only jobs of its own network, however many of its addresses it sends from.
 */
export class FairQueue<T extends object> {
  readonly #all: Line<T> = newLine();
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
    const lines = [this.#all];
    for (const key of pathOf(address)) {
      const outer = lines.at(-1) ?? this.#all;
      const line = outer.within.get(key) ?? newLine<T>();
      outer.within.set(key, line);
      lines.push(line);
    }
    lines.at(-1)?.jobs.push(job);
    for (const line of lines) {
      line.waiting += 1;
    }
    return this.size > this.places ? this.#dropNewest(lines) : undefined;
  }

  /**
   * Takes the job whose turn it is. Its networks get their next turn after all others.
   * @returns undefined if no job waits
   */
  next(): T | undefined {
    let line = this.#all;
    while (line.within.size > 0) {
      line = giveTurn(line);
    }
    const job = line.jobs[0];
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
    let line = this.#all;
    line.waiting -= 1;
    for (const key of pathOf(address)) {
      const inner = line.within.get(key);
      if (!inner) {
        return;
      }
      inner.waiting -= 1;
      if (inner.waiting === 0) {
        line.within.delete(key);
      }
      line = inner;
    }
    line.jobs.splice(line.jobs.indexOf(job), 1);
  }

  /** @param newcomer the networks of the newest job */
  #dropNewest(newcomer: readonly Line<T>[]): T | undefined {
    let line = this.#all;
    while (line.within.size > 0) {
      line = largestOf([...line.within.values()], newcomer);
    }
    const job = line.jobs.at(-1);
    if (job) {
      this.remove(job);
    }
    return job;
  }
}

const newLine = <T>(): Line<T> => ({ waiting: 0, within: new Map(), jobs: [] });

/** A text that is no address may look like a network, so the level belongs to the key. */
const pathOf = (address: string): string[] => networksOf(address).map(({ level, key }) => `${level} ${key}`);

/** Gives the first inner network its turn: it becomes the last one. */
function giveTurn<T>(line: Line<T>): Line<T> {
  for (const [key, inner] of line.within) {
    line.within.delete(key);
    line.within.set(key, inner);
    return inner;
  }
  return line;
}

/** @param preferred is the result if it is as large as any other */
function largestOf<T>(lines: readonly Line<T>[], preferred: readonly Line<T>[]): Line<T> {
  return lines.reduce((largest, line) => {
    const isLarger = line.waiting > largest.waiting;
    const isPreferred = line.waiting === largest.waiting && preferred.includes(line);
    return isLarger || isPreferred ? line : largest;
  });
}
