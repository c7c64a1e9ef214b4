/** MongoDB's own limits, which `hello` reports. */
export const MAX_BSON_BYTES = 16 * 1024 * 1024;
export const MAX_MESSAGE_BYTES = 48_000_000;
/** After this time a long command lets others go first. */
export const SLICE_MILLIS = 10;
/** In operations. */
export const MAX_WRITE_BATCH = 100_000;
