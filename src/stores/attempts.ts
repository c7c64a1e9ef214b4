import { type Connection, type Model, Schema } from 'mongoose';

/** The attempts of a key in one window, and the end of the window (epoch, in milliseconds). */
export interface WindowCount {
  points: number;
  endsMillis: number;
}

/** The attempts of a key in each window that is counted. */
export interface WindowCounts {
  minute?: WindowCount;
  hour?: WindowCount;
  day?: WindowCount;
}

/** The attempts of a key in each window, if instances share their counts in the database. */
export interface AttemptCount extends WindowCounts {
  key: string;
  /** When the longest window ends, and the database removes the document. */
  expire: Date;
}

export type AttemptCountModel = Model<AttemptCount>;

export const ATTEMPT_COUNTS = 'attempt_counts';

const attemptCountSchema = new Schema<AttemptCount>(
  {
    key: { type: String, required: true },
    expire: { type: Date, required: true },
  },
  { collection: ATTEMPT_COUNTS, versionKey: false },
);
attemptCountSchema.index({ key: 1 }, { unique: true });
attemptCountSchema.index({ expire: 1 }, { expireAfterSeconds: 0 });

/** The collection of attempt counts of a connection. */
export const attemptCountModel = (connection: Connection): AttemptCountModel =>
  connection.model<AttemptCount>('AttemptCount', attemptCountSchema);
