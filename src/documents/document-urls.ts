import { toUrlPath } from './stored-path.ts';
import type { UrlSigner } from './url-signer.ts';

/** Where callers find documents: `{base_url}/storage/<stored path>` (docs/contract.md, "Stored documents"). */
export class DocumentUrls {
  /**
   * @param baseUrl called each time, because without BASE_URL the address is known only once the port is open
   * @param signer makes each URL valid for a while; undefined if documents are public
   */
  constructor(
    private readonly baseUrl: () => string,
    private readonly signer: UrlSigner | undefined,
  ) {}

  /**
   * The absolute URL of a stored path. Only for callers who may see the document.
   * @returns null if there is no document. A path of another form than a document's gets a URL that is not found
   */
  urlOf(storedPath: string): string;
  urlOf(storedPath: string | null): string | null;
  urlOf(storedPath: string | null): string | null {
    if (!storedPath) {
      return null;
    }
    const url = `${this.baseUrl()}/storage/${toUrlPath(storedPath)}`;
    return this.signer ? `${url}?${new URLSearchParams({ ...this.signer.sign(storedPath) })}` : url;
  }
}
