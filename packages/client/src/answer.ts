import { ErrorCode, ForbiddenReason } from './generated/enums.ts';
import { type FieldErrors, type FieldRules, failed, type GatewayError, type Result } from './results.ts';

/** A complete HTTP response. */
export interface Answer {
  status: number;
  text: string;
  requestId: string | undefined;
}

/** The default for a refusal that lacks the time until the next try. */
const RETRY_AFTER_SECONDS = 1;

/** What the gateway says of an operation whose outcome it does not know, and what people are told. */
const UNKNOWN = { reason: 'unknown' } as const;
const MAY_BE_DONE = 'It may have happened: look again.';

/**
 * Reads the answer to an operation.
 * @returns the data, without a check of its fields; or the error of the answer
 */
export function readAnswer<Data, Field extends string>(answer: Answer): Result<Data, Field> {
  const body = parse(answer.text);
  if (!isRecord(body)) {
    return invalidResponse(answer);
  }
  const errors = (Array.isArray(body.errors) ? body.errors : []).filter(isRecord);
  const [first] = errors;
  if (first) {
    return failed(gatewayError<Field>(first, errors, answer));
  }
  // No field of the roots can be null.
  const hasField = isRecord(body.data) && Object.values(body.data).some((field) => field !== null);
  return hasField ? { ok: true, data: body.data as Data } : invalidResponse(answer);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const invalidResponse = ({ status }: Answer) =>
  failed({
    code: 'INVALID_RESPONSE',
    status,
    message: `The answer (HTTP ${status}) is not the gateway's. Something between it and this program may have made it.`,
  });

function gatewayError<Field extends string>(
  { message, extensions }: Record<string, unknown>,
  errors: Record<string, unknown>[],
  { requestId }: Answer,
): GatewayError<Field> {
  const given = isRecord(extensions) ? extensions : {};
  const { code, retryAfterSeconds, challenge, expiresAt, methods, unknownCredential, reason } = given;
  const isUnknown = code !== 'FORBIDDEN' && reason === UNKNOWN.reason;
  const text = typeof message === 'string' ? message : 'The gateway refused.';
  const common = { message: isUnknown ? MAY_BE_DONE : text, requestId };
  if (!isKnown(code)) {
    return { ...common, code: 'UNKNOWN', gatewayCode: typeof code === 'string' ? code : undefined };
  }
  switch (code) {
    case 'BAD_USER_INPUT':
      return {
        ...{ ...common, code, fields: merged<FieldErrors<Field>>(errors, 'errors') },
        rules: merged<FieldRules<Field>>(errors, 'rules'),
        ...(unknownCredential === true && { unknownCredential }),
      };
    case 'TOO_MANY_ATTEMPTS':
    case 'SERVICE_UNAVAILABLE': {
      const isNumber = typeof retryAfterSeconds === 'number';
      const seconds = isNumber ? retryAfterSeconds : RETRY_AFTER_SECONDS;
      return { ...common, code, retryAfterSeconds: seconds, ...(isUnknown && UNKNOWN) };
    }
    case 'INTERNAL_SERVER_ERROR':
      return { ...common, code, ...(isUnknown && UNKNOWN) };
    case 'TWO_FACTOR_REQUIRED':
    case 'TWO_FACTOR_SETUP_REQUIRED': {
      const open = { ...common, challenge: String(challenge), expiresAt: String(expiresAt) };
      return code === 'TWO_FACTOR_REQUIRED'
        ? { ...open, code, methods: Array.isArray(methods) ? methods.map(String) : [] }
        : { ...open, code };
    }
    case 'FORBIDDEN':
      return { ...common, code, reason: Object.values(ForbiddenReason).find((known) => known === reason) };
    default:
      return { ...common, code };
  }
}

const CODES: ReadonlySet<unknown> = new Set(Object.values(ErrorCode));
const isKnown = (code: unknown): code is ErrorCode => CODES.has(code);

/** Merges what all errors say by field. GraphQL has a separate error for each variable of the wrong type. */
function merged<ByField>(errors: Record<string, unknown>[], name: 'errors' | 'rules'): ByField {
  const maps = errors.map(({ extensions }) => (isRecord(extensions) ? extensions[name] : undefined));
  return Object.assign({}, ...maps.filter(isRecord)) as ByField;
}
