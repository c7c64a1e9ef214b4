/** MongoDB's own limits, which `hello` reports. */
export const MAX_BSON_BYTES = 16 * 1024 * 1024;
export const MAX_MESSAGE_BYTES = 48_000_000;
/** Of a command, without its documents to insert, and of each statement beside it: to decode and compile more takes too long. */
export const MAX_COMMAND_VALUES = 200_000;
/** The same, if the body has all statements of a batch. Drivers send them beside it. */
export const MAX_BATCH_VALUES = 500_000;
/** MongoDB's limit of levels in a command (BSONDepth). Stored documents have a lower one, which storable.ts checks. */
export const MAX_LEVELS = 200;
/** MongoDB's limit of fields of a sort, and of an index. */
export const MAX_KEY_FIELDS = 32;
/** MongoDB's limit of memory for a sort or a $group. There is no disk for more. */
export const MAX_STAGE_BYTES = 100 * 1024 * 1024;
/** After this time a long command lets others go first. */
export const SLICE_MILLIS = 10;
/** In operations. */
export const MAX_WRITE_BATCH = 100_000;
/** How many writes of batches run at a time. They share commits, which cost far more than they do; more would take too long. */
export const BATCHED_WRITES_AT_ONCE = 100;
