import type { DestinationStream } from 'pino';
import { UNPRINTABLE } from './output-encoding.ts';

/** A line of the log. */
type Line = Record<string, unknown>;

/**
 * Turns the lines of the log into text for a person at a terminal, if `pino-pretty` is installed. It is a development
 * package: an installation for production has JSON lines. Each line is written before the call returns, as without it.
 * @param hasColors true if the terminal shows colours
 */
export async function logForPeople(
  output: DestinationStream,
  hasColors: boolean,
): Promise<DestinationStream> {
  const pretty = await import('pino-pretty').catch(() => undefined);
  if (!pretty) {
    return output;
  }
  const format = pretty.prettyFactory({
    colorize: hasColors,
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
  });
  return {
    write: (json) => {
      output.write(format(inShort(JSON.parse(json, printable) as Line)));
    },
  };
}

/** A request in a few words. Only its error needs its id, which is in the line of the error, too. */
function inShort(line: Line): Line {
  if (line.msg !== 'request') {
    return line;
  }
  const { level, time, method, path, operationName, status, durationMillis, requestId } = line;
  const words = [method, path, operationName, status, `${durationMillis} ms`];
  const msg = words.filter((word) => word !== undefined).join(' ');
  return { level, time, msg, ...(Number(status) >= 500 ? { requestId } : {}) };
}

/** A value without control characters: a terminal obeys them. Only a stack has several lines. */
function printable(key: string, value: unknown): unknown {
  if (typeof value === 'string') {
    return key === 'stack' ? value.split('\n').map(clean).join('\n') : clean(value);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [clean(name), field]));
}

const clean = (text: string): string => text.replace(UNPRINTABLE, '?');
