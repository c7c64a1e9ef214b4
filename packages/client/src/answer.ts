import { ErrorCode } from './generated/enums.ts';
import { type FieldErrors, failed, type GatewayError, type Result } from './results.ts';

/** An HTTP response that was read whole. */
export interface Answer {
  status: number;
  text: string;
  requestId: string | undefined;
}

/** Of a refusal that does not say when to try again, although it should. */
const RETRY_AFTER_SECONDS = 1;

/**
 * Reads the answer to an operation.
 * @returns the data as it came, which is the gateway's to get right; or what the answer says instead
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
  return isRecord(body.data) ? { ok: true, data: body.data as Data } : invalidResponse(answer);
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
  const { code, retryAfterSeconds } = isRecord(extensions) ? extensions : {};
  const told = { message: typeof message === 'string' ? message : 'The gateway refused.', requestId };
  if (!isKnown(code)) {
    return { ...told, code: 'UNKNOWN', gatewayCode: typeof code === 'string' ? code : undefined };
  }
  switch (code) {
    case 'BAD_USER_INPUT':
      return { ...told, code, fields: fieldErrors<Field>(errors) };
    case 'TOO_MANY_ATTEMPTS':
    case 'SERVICE_UNAVAILABLE': {
      const isNumber = typeof retryAfterSeconds === 'number';
      return { ...told, code, retryAfterSeconds: isNumber ? retryAfterSeconds : RETRY_AFTER_SECONDS };
    }
    default:
      return { ...told, code };
  }
}

const CODES: ReadonlySet<unknown> = new Set(Object.values(ErrorCode));
const isKnown = (code: unknown): code is ErrorCode => CODES.has(code);

/** GraphQL reports variables of the wrong type one by one, so that several errors may each know of a field. */
function fieldErrors<Field extends string>(errors: Record<string, unknown>[]): FieldErrors<Field> {
  const maps = errors.map(({ extensions }) => (isRecord(extensions) ? extensions.errors : undefined));
  return Object.assign({}, ...maps.filter(isRecord)) as FieldErrors<Field>;
}
