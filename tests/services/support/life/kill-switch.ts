import type { Connection } from 'mongoose';
import type { LegacyDatabase } from '../../../../src/legacy/source/legacy-database.ts';

/** A command was ended as a kill ends it. */
export class Killed extends Error {}

interface Topology {
  selectServer(...words: unknown[]): Promise<unknown>;
}

/**
 * Ends a command before one of its exchanges with a database: neither this nor any later one happens. What the gateway itself does
 * has other connections.
 */
export class KillSwitch {
  #left: number;
  readonly #topology: Topology;
  readonly #select: Topology['selectServer'];

  /** @param killAfter after so many exchanges; undefined: never */
  constructor(
    connection: Connection,
    private readonly source: LegacyDatabase,
    killAfter = Number.POSITIVE_INFINITY,
  ) {
    this.#left = killAfter;
    this.#topology = (connection.getClient() as unknown as { topology: Topology }).topology;
    const select = this.#topology.selectServer.bind(this.#topology);
    this.#select = this.#topology.selectServer;
    this.#topology.selectServer = (...words) => this.#exchange(() => select(...words));
    const legacy = source.connection as unknown as Record<string, (...words: unknown[]) => Promise<unknown>>;
    for (const name of ['query', 'beginTransaction', 'commit', 'rollback']) {
      const call = legacy[name]?.bind(legacy);
      legacy[name] = (...words) => this.#exchange(() => call?.(...words) ?? Promise.resolve());
    }
  }

  get hasKilled(): boolean {
    return this.#left < 0;
  }

  async #exchange<T>(act: () => Promise<T>): Promise<T> {
    this.#left -= 1;
    if (this.#left < 0) {
      // The server rolls back what is not committed.
      this.source.connection.destroy();
      throw new Killed('killed');
    }
    return act();
  }

  /** Ends the command's connection, and lets others use the connection to the gateway's database. */
  async end(): Promise<void> {
    this.#topology.selectServer = this.#select;
    await this.source.close();
  }
}
