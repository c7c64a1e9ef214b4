import type { Connection } from 'mongoose';
import type { DocumentStore } from '../../src/documents/document-store.ts';

/** Work was ended as a kill ends it. */
export class Killed extends Error {}

/** What the work changes. */
interface Reached {
  connection: Connection;
  documents: DocumentStore;
  /** The legacy service's database, if the work uses it. */
  source?: { connection: { destroy(): void }; close(): Promise<void> };
}

type Act = (...words: unknown[]) => Promise<unknown>;

/**
 * Ends work before one of its steps: neither this nor any later one happens. A step is an exchange with a database, or a change of a
 * document. What others do has other connections.
 */
export class KillSwitch {
  #left = Number.POSITIVE_INFINITY;
  #onKill = () => {};
  readonly #restore: (() => void)[] = [];

  constructor(private readonly reached: Reached) {
    const { connection, documents, source } = reached;
    const { topology } = connection.getClient() as unknown as { topology: object };
    this.#watch(topology, ['selectServer']);
    this.#watch(documents, ['remove', 'place', 'keep']);
    this.#watch(documents.trash, ['put', 'restore', 'remove']);
    if (source) {
      this.#watch(source.connection, ['query', 'beginTransaction', 'commit', 'rollback']);
    }
  }

  /** @param steps undefined: never */
  killAfter(steps = Number.POSITIVE_INFINITY): void {
    this.#left = steps;
  }

  get hasKilled(): boolean {
    return this.#left < 0;
  }

  /** @returns true if the work was killed. What it has not ended by then ends, too, until the next work begins */
  async kills(steps: number, act: () => Promise<unknown>): Promise<boolean> {
    this.killAfter(steps);
    const killed = new Promise<void>((resolve) => {
      this.#onKill = resolve;
    });
    const work = act().catch((error: unknown) => {
      if (!this.hasKilled) {
        throw error;
      }
    });
    await Promise.race([work, killed]);
    return this.hasKilled;
  }

  #watch(target: object, names: readonly string[]): void {
    for (const name of names) {
      const own = Object.getOwnPropertyDescriptor(target, name);
      const act: Act = Reflect.get(target, name).bind(target);
      Reflect.set(target, name, (...words: unknown[]) => this.#step(() => act(...words)));
      this.#restore.push(() => {
        Reflect.deleteProperty(target, name);
        own && Object.defineProperty(target, name, own);
      });
    }
  }

  async #step<T>(act: () => Promise<T>): Promise<T> {
    this.#left -= 1;
    if (this.#left < 0) {
      // The server rolls back what is not committed.
      this.reached.source?.connection.destroy();
      this.#onKill();
      throw new Killed('killed');
    }
    return act();
  }

  /** Lets others use the connection to the gateway's database and the documents. */
  async end(): Promise<void> {
    this.killAfter();
    for (const restore of this.#restore) {
      restore();
    }
    await this.reached.source?.close();
  }
}
