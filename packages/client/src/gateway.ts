import { readAnswer } from './answer.ts';
import { CLIENT_HEADER } from './cookie-session.ts';
import type { Endpoint } from './endpoint.ts';
import { exchange, type Send } from './exchange.ts';
import type { TypedDocumentString } from './generated/graphql.ts';
import { sendAgain } from './repeat.ts';
import { encode, type Files } from './request.ts';
import { failed, type Result } from './results.ts';
import { byFetch, byXhr } from './senders.ts';
import type { AuthClientOptions, UploadOptions } from './types.ts';

const TIMEOUT_MILLIS = 30_000;
/** The gateway's timeout for an upload is 300 s. Ours is longer, so that the gateway's answer comes first. */
const UPLOAD_TIMEOUT_MILLIS = 330_000;

export interface Call extends UploadOptions {
  /** Makes the headers of the token, once the stored token is known. */
  authorize?: (() => Record<string, string>) | undefined;
  files?: Files;
}

const NO_PAGE_TEXT =
  'The option "url" is relative to a page, and there is none: a server has evaluated this call. Give it the whole address, or the option "fetch".';

/** The type of the one root field: every operation of the client has exactly one. */
export type Only<Data> = Data[keyof Data];

/** The gateway's GraphQL endpoint. */
export class Gateway {
  readonly #endpoint: Endpoint;
  readonly #hasNoPage: boolean;
  readonly #fetch: typeof globalThis.fetch;
  readonly #timeoutMillis: number;
  readonly #headers: Record<string, string>;
  readonly #ready: () => Promise<void>;

  /** @param ready resolves when the stored token has been read. Every call waits for it */
  constructor(
    endpoint: Endpoint,
    { fetch, session, timeoutMillis = TIMEOUT_MILLIS }: AuthClientOptions,
    ready: () => Promise<void>,
  ) {
    this.#endpoint = endpoint;
    // The fetch of a framework may know the page that is rendered.
    this.#hasNoPage = endpoint.isRelative && fetch === undefined;
    this.#ready = ready;
    // Looked up at each call, so that a later replacement is used. Browsers require `globalThis` as its receiver.
    this.#fetch = fetch ?? ((...request) => globalThis.fetch(...request));
    this.#timeoutMillis = timeoutMillis;
    this.#headers = session === 'cookie' ? { [CLIENT_HEADER]: '1' } : {};
  }

  /** Runs an operation, a second time if the gateway asks for it. A call with files is an upload, and has the timeout of uploads. */
  async run<Data extends object, Variables extends object, Field extends string>(
    document: TypedDocumentString<Data, Variables>,
    variables: Variables,
    { authorize, files, signal, timeoutMillis, onProgress }: Call = {},
  ): Promise<Result<Only<Data>, Field>> {
    if (this.#hasNoPage) {
      return failed({ code: 'NETWORK_ERROR', message: NO_PAGE_TEXT });
    }
    const { body, ...encoded } = encode(String(document), variables, files);
    const send: Send = async (aborted) => {
      await this.#ready();
      const request = {
        endpoint: this.#endpoint.href,
        headers: { ...this.#headers, ...encoded.headers, ...authorize?.() },
        body,
      };
      return ((onProgress && byXhr(request, onProgress)) ?? byFetch(this.#fetch, request))(aborted);
    };
    const options = { signal, timeoutMillis: timeoutMillis ?? this.#timeoutFor(body) };
    const answer = await exchange(sendAgain(send, String(document)), options, this.#endpoint.origin);
    if (!answer.ok) {
      return answer;
    }
    const result = readAnswer<Data, Field>(answer.data);
    return result.ok ? { ok: true, data: Object.values(result.data)[0] as Only<Data> } : result;
  }

  #timeoutFor(body: string | FormData): number {
    return typeof body === 'string' ? this.#timeoutMillis : UPLOAD_TIMEOUT_MILLIS;
  }
}
