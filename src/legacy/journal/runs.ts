import type { mongo } from 'mongoose';

/** A run of a command that writes. */
export interface Run {
  _id: string;
  command: 'import' | 'sync' | 'back';
  startedAt: Date;
  endedAt: Date | null;
  /** The options that a continuation must repeat, without the address of the legacy database. */
  options: Readonly<Record<string, string>>;
}

/** The runs of the commands that write. */
export class Runs {
  constructor(private readonly collection: mongo.Collection<Run>) {}

  /** All runs, the oldest first. */
  all(): Promise<Run[]> {
    return this.collection.find().sort({ startedAt: 1, _id: 1 }).toArray();
  }

  /** Begins a run of a command. */
  async begin(command: Run['command'], now: Date, options: Run['options'] = {}): Promise<Run> {
    const known = new Set((await this.all()).map(({ _id }) => _id));
    const id = runId(now);
    let _id = id;
    // Two short runs may begin in the same second.
    for (let number = 2; known.has(_id); number += 1) {
      _id = `${id}-${number}`;
    }
    const run: Run = { _id, command, startedAt: now, endedAt: null, options };
    await this.collection.insertOne(run);
    return run;
  }

  async end(run: string, endedAt: Date): Promise<void> {
    await this.collection.updateOne({ _id: run }, { $set: { endedAt } });
  }

  async remove(run: string): Promise<void> {
    await this.collection.deleteOne({ _id: run });
  }
}

/** An id that sorts by time and can be typed, such as `20260131-120000`. One command writes at a time. */
const runId = (now: Date): string => now.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
