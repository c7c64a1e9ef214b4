import { type Connection, type Model, Schema } from 'mongoose';

/** How often something was tried within a while, as rate-limiter-flexible keeps it where instances share their counts. */
interface AttemptCount {
  key: string;
  points: number;
  expire: Date;
}

export type AttemptCountModel = Model<AttemptCount>;

export const ATTEMPT_COUNTS = 'attempt_counts';

const attemptCountSchema = new Schema<AttemptCount>(
  {
    key: { type: String, required: true },
    points: { type: Number, required: true },
    expire: { type: Date, required: true },
  },
  { collection: ATTEMPT_COUNTS, versionKey: false },
);
attemptCountSchema.index({ key: 1 }, { unique: true });
attemptCountSchema.index({ expire: 1 }, { expireAfterSeconds: 0 });

/** The collection of attempt counts of a connection. */
export const attemptCountModel = (connection: Connection): AttemptCountModel =>
  connection.model<AttemptCount>('AttemptCount', attemptCountSchema);
