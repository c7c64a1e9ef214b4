import { notImplemented } from '../base/errors.ts';

/** Which element of an array made a document match, for the positional operator `$` (MongoDB's MatchDetails). */
export class MatchDetails {
  #position: number | undefined;
  #isAmbiguous = false;

  /** The position of the element; undefined if the filter went through no array. */
  get position(): number | undefined {
    if (this.#isAmbiguous) {
      // MongoDB takes the one that its optimizer happens to test last.
      throw notImplemented('a positional $ with conditions that match different elements of arrays');
    }
    return this.#position;
  }

  record(position: number | undefined): void {
    if (position === undefined) {
      return;
    }
    this.#isAmbiguous ||= this.#position !== undefined && this.#position !== position;
    this.#position = position;
  }

  /** Two readings of the filter differ in this position, so it counts as a contradiction. */
  exclude(position: number | undefined): void {
    this.#isAmbiguous ||= position !== undefined;
  }
}
