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

  async begin(run: Run): Promise<void> {
    await this.collection.insertOne(run);
  }

  async end(run: string, endedAt: Date): Promise<void> {
    await this.collection.updateOne({ _id: run }, { $set: { endedAt } });
  }

  async remove(run: string): Promise<void> {
    await this.collection.deleteOne({ _id: run });
  }
}
