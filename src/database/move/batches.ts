/** Limits of one exchange with the target, and so of the memory of a move. A document alone may have 16 MiB. */
const MAX_DOCUMENTS = 1000;
const MAX_BYTES = 4 * 1024 * 1024;

/** Documents in batches for the target. */
export function* batchesOf(documents: Iterable<Uint8Array>): Generator<Uint8Array[]> {
  let batch: Uint8Array[] = [];
  let bytes = 0;
  for (const raw of documents) {
    if (batch.length === MAX_DOCUMENTS || (batch.length > 0 && bytes + raw.length > MAX_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(raw);
    bytes += raw.length;
  }
  if (batch.length > 0) {
    yield batch;
  }
}
