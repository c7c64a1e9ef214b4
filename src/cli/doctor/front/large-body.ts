import { setTimeout as wait } from 'node:timers/promises';
import { error, type Finding, ok, warning } from '../finding.ts';
import { sizeOf } from '../size.ts';
import { ask } from './answer.ts';
import type { StandIn } from './stand-in.ts';

/** A proxy that passes bodies through sends the headers on at once. */
const MAX_WAIT_MILLIS = 3_000;

const CONTENT_TOO_LARGE = 413;

/**
 * Begins an upload of the largest size, and looks whether its beginning arrives.
 * @param bytes the largest body that the gateway takes
 */
export async function judgeBody(
  url: string,
  bytes: number,
  standIn: StandIn,
  signal: AbortSignal,
): Promise<Finding> {
  const over = new AbortController();
  const either = AbortSignal.any([over.signal, signal]);
  const headers = { 'Content-Length': bytes, 'Content-Type': 'application/octet-stream' };
  const question = { url, method: 'POST', headers, beginOfBody: Buffer.alloc(1) } as const;
  const arrived = standIn.nextArrival().then(() => 'arrived' as const);
  const refused = ask(question, either).then(
    ({ status }) => status,
    () => 'failed' as const,
  );
  const silence = wait(MAX_WAIT_MILLIS, 'silent' as const, { signal: either }).catch(() => 'silent' as const);
  const outcome = await Promise.race([arrived, refused, silence]).finally(() => over.abort());
  signal.throwIfAborted();
  return judge(outcome, sizeOf(bytes));
}

function judge(outcome: 'arrived' | 'failed' | 'silent' | number, size: string): Finding {
  switch (outcome) {
    case 'arrived':
      return ok(`Uploads of ${size}, the largest, pass through to the gateway as they come.`);
    case 'silent':
      return warning(
        'The proxy collects uploads before it passes them on: slow ones fill its disk, and the limits of the gateway come late.',
        'Switch that off (nginx: proxy_request_buffering off).',
      );
    case CONTENT_TOO_LARGE:
      return error(
        `The proxy refuses uploads of ${size}, which MAX_FILE_BYTES allows.`,
        `Raise its limit to ${size} (nginx: client_max_body_size), or lower MAX_FILE_BYTES.`,
      );
    default:
      return warning(
        `The proxy does not pass on an upload of ${size} (${outcome === 'failed' ? 'it closes the connection' : outcome}).`,
        'Check its limits for the size and the time of a body.',
      );
  }
}
