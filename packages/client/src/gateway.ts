import { readAnswer } from './answer.ts';
import { endpointOf } from './endpoint.ts';
import { exchange } from './exchange.ts';
import type { TypedDocumentString } from './generated/graphql.ts';
import { encode, type Files } from './request.ts';
import type { Result } from './results.ts';
import { byFetch, byXhr } from './senders.ts';
import type { AuthClientOptions, UploadOptions } from './types.ts';

const TIMEOUT_MILLIS = 30_000;
/** The gateway gives an upload 300 s; its own answer to one that takes longer is to arrive first. */
const UPLOAD_TIMEOUT_MILLIS = 330_000;

interface Call extends UploadOptions {
  headers?: Record<string, string>;
  files?: Files;
}

/** What an operation answers with: every one of ours has one field. */
type Only<Data> = Data[keyof Data];

/** The gateway's GraphQL endpoint. */
export class Gateway {
  private readonly endpoint: URL;
  private readonly fetch: typeof globalThis.fetch;
  private readonly timeoutMillis: number;

  /** @throws TypeError when `url` is not the address of a gateway */
  constructor({ url, fetch, timeoutMillis = TIMEOUT_MILLIS }: AuthClientOptions) {
    this.endpoint = endpointOf(url);
    // Looked up at each call, so that a later replacement counts, and called on the object that browsers insist on.
    this.fetch = fetch ?? ((...request) => globalThis.fetch(...request));
    this.timeoutMillis = timeoutMillis;
  }

  /** Runs an operation. A call with files is an upload, with an upload's deadline. */
  async run<Data extends object, Variables extends object, Field extends string>(
    document: TypedDocumentString<Data, Variables>,
    variables: Variables,
    { headers, files, signal, timeoutMillis, onProgress }: Call = {},
  ): Promise<Result<Only<Data>, Field>> {
    const { body, ...encoded } = encode(String(document), variables, files);
    const request = { endpoint: this.endpoint.href, headers: { ...encoded.headers, ...headers }, body };
    const send = (onProgress && byXhr(request, onProgress)) ?? byFetch(this.fetch, request);
    const limits = { signal, timeoutMillis: timeoutMillis ?? this.timeoutFor(body) };
    const answer = await exchange(send, limits, this.endpoint.origin);
    if (!answer.ok) {
      return answer;
    }
    const result = readAnswer<Data, Field>(answer.data);
    return result.ok ? { ok: true, data: Object.values(result.data)[0] as Only<Data> } : result;
  }

  private timeoutFor(body: string | FormData): number {
    return typeof body === 'string' ? this.timeoutMillis : UPLOAD_TIMEOUT_MILLIS;
  }
}
