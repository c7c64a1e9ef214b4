import type { Config } from '../../../config/config.ts';
import { messageOf, systemErrorCode } from '../../../system/system-errors.ts';
import { error, type Finding, note } from '../finding.ts';
import { ask } from './answer.ts';

const WILDCARDS = new Set(['0.0.0.0', '::']);

/** Why the doctor cannot stand in for the gateway: it runs, another program has its port, or nobody may listen there. */
export async function whoListens(config: Config, failure: Error, signal: AbortSignal): Promise<Finding> {
  const { host, port, baseUrl } = config;
  if (systemErrorCode(failure) !== 'EADDRINUSE') {
    const todo = 'Check HOST and PORT. Ports below 1024 need a right of their own.';
    return error(`The gateway cannot listen on ${host}:${port}: ${messageOf(failure)}.`, todo);
  }
  const name = WILDCARDS.has(host) ? '127.0.0.1' : host;
  const url = `http://${name.includes(':') ? `[${name}]` : name}:${port}/healthz`;
  const answer = await ask({ url }, signal).catch(() => undefined);
  signal.throwIfAborted();
  if (answer?.headers['x-request-id'] === undefined) {
    return error(
      `Another program has the port ${host}:${port}, so the gateway cannot start.`,
      'Stop that program, or change PORT.',
    );
  }
  return note(
    'A gateway runs on HOST and PORT, so the doctor could not see what arrives there.',
    `Stop it and run the doctor again; or send curl -H "X-Forwarded-For: 203.0.113.7" ${baseUrl}/api/v1/auth/user (the answer is 404) and look at ip in the log of the gateway: it must be your address.`,
  );
}
