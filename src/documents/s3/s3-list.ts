import type { S3Client } from './s3-client.ts';
import { elementOf, elementsOf } from './xml.ts';

/** An object as the server lists it. */
interface ListedObject {
  key: string;
  storedAt: Date;
  sizeBytes: number;
}

/** A page has 1,000 objects at most, whose keys have 1,024 bytes at most. */
const MAX_PAGE_BYTES = 4_194_304;

/** Ten times as many as Amazon sends. The page is read at one go. */
const MAX_PAGE_OBJECTS = 10_000;

/** All objects whose keys have a prefix. */
export async function* listedObjects(client: S3Client, prefix: string): AsyncGenerator<ListedObject> {
  let continuation: string | undefined;
  do {
    const page = await client.sendAndRead(
      {
        method: 'GET',
        query: {
          'list-type': '2',
          prefix,
          ...(continuation !== undefined && { 'continuation-token': continuation }),
        },
      },
      MAX_PAGE_BYTES,
    );
    yield* objectsOf(page);
    continuation = continuationOf(page, continuation);
  } while (continuation !== undefined);
}

function* objectsOf(page: string): Generator<ListedObject> {
  let objects = 0;
  for (const contents of elementsOf(page, 'Contents')) {
    objects += 1;
    if (objects > MAX_PAGE_OBJECTS) {
      throw new Error(`the S3 server listed more than ${MAX_PAGE_OBJECTS} objects at once`);
    }
    const key = elementOf(contents, 'Key');
    const storedAt = new Date(elementOf(contents, 'LastModified') ?? '');
    if (key !== undefined && !Number.isNaN(storedAt.getTime())) {
      yield { key, storedAt, sizeBytes: Number(elementOf(contents, 'Size') ?? 0) };
    }
  }
}

/**
 * The token of the next page; undefined after the last one.
 * @throws Error for an answer that is no page. Otherwise it would pass for an empty bucket
 */
function continuationOf(page: string, previous: string | undefined): string | undefined {
  const isTruncated = elementOf(page, 'IsTruncated');
  if (isTruncated === 'false') {
    return undefined;
  }
  const next = elementOf(page, 'NextContinuationToken');
  if (isTruncated !== 'true' || next === undefined || next === previous) {
    throw new Error('the S3 server did not list its objects');
  }
  return next;
}
