/** A file of a multipart request that has been received whole into quarantine. Nothing of it is trusted yet. */
export class ReceivedFile {
  constructor(
    /** Where the bytes are, inside the quarantine folder. */
    readonly path: string,
    /** The name that the client gave; only its extension is ever looked at. */
    readonly clientName: string,
    readonly sizeBytes: number,
    /** True where the sender sent more than the limit: the bytes in quarantine are then not the whole file. */
    readonly isOverLimit: boolean,
  ) {}
}
