import { type Document, Long } from 'bson';
import { RawBatch } from '../../base/raw-batch.ts';
import { Cursor, type DocumentStream } from '../../query/cursors.ts';
import { encode } from '../../values/bson-codec.ts';
import type { CommandContext } from './command.ts';

/** MongoDB's size of a first batch, in documents. */
const FIRST_BATCH = 101;

/** Opens a cursor on a stream and answers its first batch. */
export async function firstBatch(
  { engine }: CommandContext,
  namespace: string,
  stream: DocumentStream,
  batchSize: number | undefined,
  isSingle: boolean,
): Promise<Document> {
  const cursor = new Cursor(namespace, stream, () => engine.store.refresh());
  const documents = await cursor.next(batchSize ?? FIRST_BATCH);
  const isDone = cursor.isExhausted || isSingle;
  if (isDone) {
    cursor.close();
  }
  const id = isDone ? Long.ZERO : engine.cursors.add(cursor);
  return { cursor: { firstBatch: new RawBatch(documents), id, ns: namespace } };
}

/** The answer of a listing: a cursor that has given everything in its first batch. */
export function wholeCursor(namespace: string, documents: readonly Document[]): Document {
  return { cursor: { id: Long.ZERO, ns: namespace, firstBatch: new RawBatch(documents.map(encode)) } };
}
