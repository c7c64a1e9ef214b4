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
 * An error for the log: its kind, texts and stack, and its causes. Never its other properties, because those of a
 * database or validation error are values that somebody sent.
 */
function serializeError(error: Error): Record<string, unknown> {
  const { type, message, stack } = stdSerializers.err(error);
  const detail = 'detail' in error ? error.detail : undefined;
  return { type, message, ...(detail === undefined ? {} : { detail }), stack };
}

/** The bytes that are kept while standard output takes none, for example on a full disk. */
const MAX_UNWRITTEN_BYTES = 1_048_576;

/**
 * Standard output. Each line is written before the call returns, which pino's own default does not promise: a crash would
 * take the last lines, the ones that tell of it, with it. It costs no more than to write them later, on threads that
 * hashes may be keeping busy.
 *
 * It never fails: nobody is refused for want of a log. What a full disk does not take is written when there is room again;
 * once a pipe has no reader any more, there is no log.
 */
export function standardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: true, maxLength: MAX_UNWRITTEN_BYTES });
  output.on('error', () => {});
  // While too much is kept, a new line is dropped, and with it the attempt to write.
  output.on('drop', () => output.flush());
  return output;
}

/**
 * The log of this process: JSON lines on standard output.
 * @param level pino's level names, or `silent`
 * @param destination of the lines, instead of standard output
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
