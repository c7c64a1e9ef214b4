/** Bytes that grow. */
export class ByteWriter {
  #buffer: Buffer;
  #length = 0;

  /** @param size bytes that most uses do not exceed */
  constructor(size: number) {
    this.#buffer = Buffer.allocUnsafe(size);
  }

  get length(): number {
    return this.#length;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  byte(byte: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = byte;
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  utf8(text: string): void {
    this.#reserve(3 * text.length);
    this.#length += this.#buffer.write(text, this.#length);
  }

  int32(value: number): void {
    this.#reserve(4);
    this.#length = this.#buffer.writeInt32LE(value, this.#length);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#length = this.#buffer.writeDoubleLE(value, this.#length);
  }

  /** Replaces four bytes that are already written. */
  setInt32(value: number, offset: number): void {
    this.#buffer.writeInt32LE(value, offset);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) {
      return;
    }
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + bytes));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
