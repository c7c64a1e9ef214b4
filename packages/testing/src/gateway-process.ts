import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnswerMessage, RequestMessage, RequestName, Requests } from './requests.ts';
import { environmentFor, type GatewaySettings } from './test-settings.ts';

const PROGRAM = join(__dirname, 'run-gateway.mjs');

/** The gateway's start line, in production as JSON. With BASE_URL set, the address that it listens on comes later in the line. */
const START_LINE = /is ready(?:: GraphQL |".*"graphql":")(\S+?)\/graphql[,"].*\n/;
const LISTENING = /(?:listening on |"address":")(http[^,"\s]+)/;

/** A gateway in its own process, with a temporary folder. */
export interface GatewayProcess {
  /** The address that it listens on. */
  readonly url: string;
  /** Asks the process of the gateway for something. @throws Error if it has ended, or cannot do it */
  ask<Name extends RequestName>(name: Name, parameters: Requests[Name][0]): Promise<Requests[Name][1]>;
  /** Ends it, and resolves when it has ended and its folder is gone. Calling it again is harmless. */
  stop(): Promise<void>;
}

/**
 * Starts a gateway.
 * @throws an Error with the gateway's own message if it does not start; nothing is left behind
 */
export async function startProcess(settings: GatewaySettings): Promise<GatewayProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'auth-gateway-test-'));
  const child = fork(PROGRAM, {
    // Relative paths among the settings are in this folder, and no `.env` of the tested service is read.
    cwd: folder,
    env: environmentFor(settings) as NodeJS.ProcessEnv,
    execArgv: [],
    // In a group of its own: Ctrl-C and other signals to the group of this process must not end the gateway before the tests.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  // The gateway removes its folder itself, unless it was killed.
  const ended = once(child, 'exit').finally(() => rm(folder, { recursive: true, force: true }));
  const url = await started(child, ended);
  release(child);
  let stopping: Promise<unknown> | undefined;
  return {
    url,
    ask: questionsTo(child, ended),
    async stop() {
      stopping ??= stop(child, ended);
      await stopping;
    },
  };
}

/** Asks by the channel between the two processes, which keeps this one alive until the answer is there. */
function questionsTo(child: ChildProcess, ended: Promise<unknown>): GatewayProcess['ask'] {
  const waiting = new Map<number, (answer: AnswerMessage) => void>();
  let last = 0;
  child.on('message', (answer: AnswerMessage) => waiting.get(answer.id)?.(answer));
  // A listener for messages has made it hold this process again.
  child.channel?.unref();
  const gone = ended.then(() => ({ id: 0, error: 'The test gateway has ended.' }));
  return async (name, parameters) => {
    last += 1;
    const id = last;
    const answered = new Promise<AnswerMessage>((resolve) => waiting.set(id, resolve));
    child.channel?.ref();
    const message: RequestMessage = { id, name, parameters };
    child.connected && child.send(message);
    const answer = await Promise.race([answered, gone]);
    waiting.delete(id);
    if (waiting.size === 0) {
      child.channel?.unref();
    }
    if ('error' in answer) {
      throw new Error(answer.error);
    }
    return answer.result as never;
  };
}

/** Resolves with the address that the gateway listens on. */
async function started(child: ChildProcess, ended: Promise<unknown>): Promise<string> {
  let output = '';
  let complaint = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint += chunk;
  });
  const line = new Promise<string>((resolve) => {
    child.stdout?.on('data', function read(chunk: Buffer) {
      output += chunk;
      const [startLine, baseUrl = ''] = START_LINE.exec(output) ?? [];
      if (startLine === undefined) {
        return;
      }
      child.stdout?.off('data', read);
      resolve(LISTENING.exec(startLine)?.[1] ?? baseUrl);
    });
  });
  // Unlike "exit", "close" comes after all output; it does not come at all after a call of "disconnect".
  const failure = Promise.all([ended, once(child, 'close')]).then(() => {
    const reason = complaint.trim().replace(/^auth-gateway: /, '') || 'its process ended without a message';
    throw new Error(`The test gateway did not start: ${reason}`);
  });
  return Promise.race([line, failure]).finally(() => child.stderr?.removeAllListeners('data'));
}

/** Shows what the gateway writes from now on, and lets this process end without a `stop`: the gateway ends with it. */
function release(child: ChildProcess): void {
  for (const output of [child.stdout, child.stderr] as Socket[]) {
    output.on('data', (chunk: Buffer) => process.stderr.write(chunk));
    output.unref();
  }
  child.channel?.unref();
  child.unref();
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  // This process has to wait for the end again.
  child.ref();
  if (child.connected) {
    child.disconnect();
  }
  await ended;
}
