/** Stored documents in an answer, as bytes: a find passes them on without decoding and encoding them. */
export class RawBatch {
  constructor(readonly documents: readonly Buffer[]) {}
}
