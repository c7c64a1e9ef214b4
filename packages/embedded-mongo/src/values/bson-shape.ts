import { BSONError } from 'bson';
import { mongoError } from '../base/errors.ts';
import { MAX_LEVELS } from '../base/limits.ts';

/** The bytes of the values of each type of BSON (bsonspec.org); those before their end, if their length stands at their beginning. */
const FIXED_BYTES = table([
  [0x01, 8],
  [0x06, 0],
  [0x07, 12],
  [0x08, 1],
  [0x09, 8],
  [0x0a, 0],
  [0x10, 4],
  [0x11, 8],
  [0x12, 8],
  [0x13, 16],
  [0x7f, 0],
  [0xff, 0],
]);
const BYTES_AFTER_LENGTH = table([
  [0x02, 0],
  [0x05, 1],
  [0x0c, 12],
  [0x0d, 0],
  [0x0e, 0],
]);
const UNKNOWN = -1;
const DOCUMENT = 0x03;
const ARRAY = 0x04;
const REGEX = 0x0b;
const CODE_WITH_SCOPE = 0x0f;

/** An inner document has a type, an empty name and a zero, its length and its end. So fewer bytes have fewer levels. */
const LEAST_BYTES = 7 * MAX_LEVELS;

/**
 * Checks received BSON before it is decoded: to decode a million levels, or values, takes seconds in which nobody else is served.
 * @param maxValues also of inner documents and arrays
 * @throws CommandError Overflow (15) for more than 200 levels, BSONObjectTooLarge (10334) for too many values; BSONError if the bytes
 * are malformed
 */
export function checkShape(bytes: Buffer, maxValues = Infinity): void {
  if (bytes.length > LEAST_BYTES) {
    new ShapeReader(bytes).check(maxValues);
  }
}

class ShapeReader {
  readonly #bytes: Buffer;
  #at = 0;
  /** Where the open documents end. */
  readonly #ends: number[] = [];

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  check(maxValues: number): void {
    this.#open();
    for (let values = 0; this.#ends.length > 0; values++) {
      if (values > maxValues) {
        throw mongoError('BSONObjectTooLarge', `more than ${maxValues} values in one document`);
      }
      const type = this.#bytes[this.#at++];
      if (type === 0) {
        expectBson(this.#at === this.#ends.pop());
        values--;
      } else {
        this.#skipText();
        this.#skipValue(type);
      }
    }
  }

  #open(): void {
    if (this.#ends.length > MAX_LEVELS) {
      throw mongoError('Overflow', `more than ${MAX_LEVELS} levels`);
    }
    const end = this.#at + this.#length(this.#at);
    expectBson(end <= (this.#ends.at(-1) ?? this.#bytes.length));
    this.#ends.push(end);
    this.#at += 4;
  }

  #skipValue(type: number | undefined): void {
    const fixed = FIXED_BYTES[type ?? 0] as number;
    if (fixed !== UNKNOWN) {
      this.#at += fixed;
    } else if (type === DOCUMENT || type === ARRAY) {
      this.#open();
    } else if (type === REGEX) {
      this.#skipText();
      this.#skipText();
    } else if (type === CODE_WITH_SCOPE) {
      this.#at += 4;
      this.#skipSized(0);
      this.#open();
    } else {
      const more = BYTES_AFTER_LENGTH[type ?? 0] as number;
      expectBson(more !== UNKNOWN);
      this.#skipSized(more);
    }
  }

  #skipSized(more: number): void {
    this.#at += 4 + this.#length(this.#at) + more;
  }

  /** To the end of a text without a length: a name, a pattern. */
  #skipText(): void {
    const bytes = this.#bytes;
    let at = this.#at;
    while (bytes[at] !== 0) {
      expectBson(at < bytes.length);
      at++;
    }
    this.#at = at + 1;
  }

  #length(at: number): number {
    expectBson(at + 4 <= this.#bytes.length);
    const length = this.#bytes.readInt32LE(at);
    expectBson(length >= 0);
    return length;
  }
}

function table(entries: readonly [type: number, bytes: number][]): Int8Array {
  const bytes = new Int8Array(256).fill(-1);
  for (const [type, count] of entries) {
    bytes[type] = count;
  }
  return bytes;
}

function expectBson(holds: boolean): asserts holds {
  if (!holds) {
    throw new BSONError('malformed BSON');
  }
}
