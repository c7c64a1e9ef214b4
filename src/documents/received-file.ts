/** A file of a multipart request that has been received whole into quarantine. Nothing of it is trusted yet. */
export class ReceivedFile {
  constructor(
    /** The path of the file in the quarantine folder. */
    readonly path: string,
    /** The name that the client gave; only its extension is ever looked at. */
    readonly clientName: string,
    readonly sizeBytes: number,
    /** True if the sender sent more than the limit. The file in quarantine is then incomplete. */
    readonly isOverLimit: boolean,
  ) {}
}
