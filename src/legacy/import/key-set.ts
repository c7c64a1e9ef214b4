const FIRST_SLOTS = 4_096;
const MAX_LOAD = 0.6;

/**
 * A set of texts that takes 14 bytes for each: it holds 64 bits of each text, not the text. Two of a million texts are taken
 * for the same once in thirty million sets.
 */
export class KeySet {
  /** Two numbers for each slot; 0 and 0: the slot is empty. */
  #slots = new Uint32Array(2 * FIRST_SLOTS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @returns false if the text was there */
  add(text: string): boolean {
    if (this.#size >= (this.#slots.length / 2) * MAX_LOAD) {
      this.#grow();
    }
    const [high, low] = hashOf(text);
    const isNew = insert(this.#slots, high, low);
    this.#size += isNew ? 1 : 0;
    return isNew;
  }

  has(text: string): boolean {
    const [high, low] = hashOf(text);
    const slot = slotOf(this.#slots, high, low);
    return this.#slots[slot] !== 0 || this.#slots[slot + 1] !== 0;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(2 * old.length);
    for (let slot = 0; slot < old.length; slot += 2) {
      const [high = 0, low = 0] = [old[slot], old[slot + 1]];
      if (high !== 0 || low !== 0) {
        insert(this.#slots, high, low);
      }
    }
  }
}

/** The place of a hash: where it is, or the empty slot where it belongs. */
function slotOf(slots: Uint32Array, high: number, low: number): number {
  const mask = slots.length / 2 - 1;
  for (let index = low & mask; ; index = (index + 1) & mask) {
    const slot = 2 * index;
    const isEmpty = slots[slot] === 0 && slots[slot + 1] === 0;
    if (isEmpty || (slots[slot] === high && slots[slot + 1] === low)) {
      return slot;
    }
  }
}

function insert(slots: Uint32Array, high: number, low: number): boolean {
  const slot = slotOf(slots, high, low);
  const isNew = slots[slot] === 0 && slots[slot + 1] === 0;
  slots[slot] = high;
  slots[slot + 1] = low;
  return isNew;
}

/** The mixing of MurmurHash3 in two lanes. Nobody gains anything by a collision, so it need not be a cryptographic hash. */
function hashOf(text: string): [number, number] {
  let high = 0xdeadbeef ^ text.length;
  let low = 0x41c6ce57 ^ text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 2_654_435_761);
    low = Math.imul(low ^ unit, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  // 0 and 0 mark an empty slot.
  return [high >>> 0, low >>> 0 || 1];
}
