/** The acts whose documents are received only after they were admitted. */
export type AdmittedAct = 'registration' | 'resubmission';

/**
 * Proof that an upload was counted before its body was received. Only the services make one, so no API can forget the count.
 * It is valid once, for one act.
 */
export class Admission {
  #isUsed = false;

  constructor(private readonly act: AdmittedAct) {}

  /** @throws Error on a second use or for another act, which is a bug of an API */
  use(act: AdmittedAct): void {
    if (this.#isUsed || act !== this.act) {
      throw new Error(`an admission is valid for one ${this.act}`);
    }
    this.#isUsed = true;
  }
}
