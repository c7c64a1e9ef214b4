/** Where callers find stored documents: `{base_url}/storage/<stored path>` (contract section 2). */
export class DocumentUrls {
  /** @param baseUrl asked anew each time, because without BASE_URL it is known only once the port is open */
  constructor(private readonly baseUrl: () => string) {}

  /** The absolute URL of a stored path. */
  urlOf(storedPath: string): string {
    return `${this.baseUrl()}/storage/${storedPath}`;
  }
}
