/** A file of a multipart request that was received completely into quarantine. It is not trusted yet. */
export class ReceivedFile {
  constructor(
    /** The path of the file in the quarantine folder. */
    readonly path: string,
    /** The name that the client gave. Only its extension is used. */
    readonly clientName: string,
    readonly sizeBytes: number,
    /** True if the sender sent more than the limit. The file in quarantine is then incomplete. */
    readonly isOverLimit: boolean,
  ) {}
}
