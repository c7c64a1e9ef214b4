import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';

export type { Logger } from 'pino';

/** Names of fields that no log line may show, at the first levels of an object. */
const SECRETS = [
  'password',
  'passwordHash',
  'password_confirmation',
  'token',
  'plainText',
  'bearer',
  'secret',
  'secretHash',
  'secretAccessKey',
  'authorization',
  'cookie',
];

/**
 * An error for the log: its kind, texts and stack, and its causes. Its other properties are left out, because those of a
 * database or validation error may contain values that a caller sent.
 */
function serializeError(error: unknown): Record<string, unknown> {
  if (!isErrorLike(error)) {
    // A library may throw anything, and the log must not fail for it. It may be a value that a caller sent.
    return { type: typeof error, message: 'something that is no error was thrown' };
  }
  const { type, message, stack } = stdSerializers.err(error);
  const detail = 'detail' in error ? error.detail : undefined;
  return { type, message, ...(detail === undefined ? {} : { detail }), stack };
}

/** As pino decides it. */
const isErrorLike = (error: unknown): error is Error =>
  typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string';

/** The bytes that are kept while standard output accepts none, for example on a full disk. */
const MAX_UNWRITTEN_BYTES = 1_048_576;

/**
 * Standard output. Each line is written before the call returns. With pino's default, a crash would lose the last lines,
 * which explain it. Later writes would not be cheaper: they use the same threads as the hashes.
 *
 * It never fails, because a request must not fail for a missing log line. Lines that do not fit on a full disk are written
 * when there is room again. If the reader of a pipe closes it, there is no log.
 */
export function standardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: true, maxLength: MAX_UNWRITTEN_BYTES });
  output.on('error', () => {});
  // If the buffer is full, pino drops the new line and does not try to write. So try here.
  output.on('drop', () => output.flush());
  return output;
}

/**
 * The log of this process: JSON lines on standard output.
 * @param level one of pino's level names, or `silent`
 * @param destination gets the lines instead of standard output
 */
export const createLog = (level: string, destination = standardOutput()): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
      serializers: { err: serializeError },
    },
    destination,
  );
