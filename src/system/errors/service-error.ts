export interface ServiceErrorOptions {
  /** For the log only; never shown to a caller. */
  detail?: string | undefined;
  cause?: unknown;
  /** Extra HTTP response headers, such as Retry-After. */
  headers?: Record<string, string>;
}

/**
 * The base class of every error that a caller may see. Its `message` is public; `detail` and `cause` go to the log. Any other
 * error is unexpected, and the caller gets the fixed text of UnexpectedError.
 */
export abstract class ServiceError extends Error {
  /** Machine-readable, for `extensions.code` of the GraphQL API. */
  abstract readonly code: string;
  /** HTTP status of the REST API. */
  abstract readonly status: number;
  readonly detail: string | undefined;
  readonly headers: Record<string, string>;

  constructor(message: string, options: ServiceErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = new.target.name;
    this.detail = options.detail;
    this.headers = options.headers ?? {};
  }

  /** The `extensions` of the GraphQL error, beside the code. */
  get extensions(): Record<string, unknown> {
    return {};
  }
}
