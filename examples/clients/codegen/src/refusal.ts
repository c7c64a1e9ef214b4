import type { ErrorCode } from './gql/error-code';

interface GatewayError {
  message: string;
  extensions?: { code?: unknown; errors?: unknown; retryAfterSeconds?: unknown };
}

/** What the gateway answered instead of data. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  /** Texts for people, by field of the input. */
  readonly fields: Partial<Record<string, string[]>>;
  /** When to try again, after `TOO_MANY_ATTEMPTS` and `SERVICE_UNAVAILABLE`. */
  readonly retryAfterSeconds: number | undefined;

  constructor({ message, extensions }: GatewayError) {
    super(message);
    this.code = extensions?.code as ErrorCode;
    this.fields = (extensions?.errors ?? {}) as Refusal['fields'];
    this.retryAfterSeconds = extensions?.retryAfterSeconds as number | undefined;
  }
}
