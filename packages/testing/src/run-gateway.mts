import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { openMailbox } from './mailbox.js';
import { MovingClock } from './moving-clock.js';
import type { RequestMessage, RequestName, Requests } from './requests.ts';

/*
 * Runs the installed gateway in the folder that this process was started in, with its data in memory, until the process that
 * started this one disconnects or dies. Then it removes the folder.
 */
const folder = process.cwd();
process.on('exit', () => {
  // Windows does not remove a folder that a process is in.
  process.chdir(tmpdir());
  rmSync(folder, { recursive: true, force: true });
});

/** The parts of the gateway's module for tests that are used here. */
interface GatewayModule {
  startGateway(
    environment: NodeJS.ProcessEnv,
    clock: MovingClock,
  ): Promise<{ app: { stop(): Promise<void> } }>;
  runCommand(
    words: string[],
    environment: () => NodeJS.ProcessEnv,
    streams: { stdin: Readable; stdout: PassThrough; stderr: PassThrough },
  ): Promise<number | undefined>;
}

let starting: Promise<{ app: { stop(): Promise<void> } }> | undefined;
/** Before the gateway is loaded there is nothing to stop. */
const stop = () => {
  const stopped = starting?.then(({ app }) => app.stop()) ?? Promise.resolve();
  stopped.catch(() => {}).finally(() => process.exit());
};
process.on('disconnect', stop);
process.on('SIGTERM', stop);
process.on('SIGHUP', stop);
// The other process may have died before this program was loaded. That event has passed.
if (!process.connected) {
  stop();
}

const fail = (error: unknown): never => {
  process.stderr.write(`auth-gateway: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
};

function findGateway(): string {
  try {
    return import.meta.resolve('auth-gateway/testing');
  } catch {
    process.stderr.write('the package auth-gateway is not installed beside @auth-gateway/testing.\n');
    process.exit(1);
  }
}

const gateway = findGateway();
const clock = new MovingClock();
const mailbox = process.env.SMTP_URL === undefined ? await openMailbox() : undefined;
Object.assign(process.env, mailbox && { SMTP_URL: mailbox.url });
if (!process.env.MONGODB_URI) {
  const { startEmbeddedMongo } = await import('@auth-gateway/embedded-mongo');
  const { uri } = await startEmbeddedMongo({ path: ':memory:' });
  process.env.MONGODB_URI = uri;
  // The gateway would refuse both.
  if (process.env.DATA_DIR === ':memory:') {
    delete process.env.DATA_DIR;
  }
}
const { startGateway, runCommand } = (await import(gateway)) as GatewayModule;
starting = startGateway(process.env, clock);

/** What the process of the tests can ask for. */
const ACTS: { [Name in RequestName]: (parameters: Requests[Name][0]) => Promise<Requests[Name][1]> } = {
  async advance({ millis }) {
    clock.advance(millis);
    return null;
  },
  async command({ words, input }) {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const outputs = [text(stdout), text(stderr)] as const;
    const streams = { stdin: Readable.from([Buffer.from(input)]), stdout, stderr };
    const code = (await runCommand(words, () => process.env, streams)) ?? null;
    stdout.end();
    stderr.end();
    const [out, problems] = await Promise.all(outputs);
    return { code, stdout: out, stderr: problems };
  },
  mails: async () => mailbox?.mails ?? [],
};

process.on('message', ({ id, name, parameters }: RequestMessage) => {
  const answered = (ACTS[name] as (parameters: object) => Promise<unknown>)(parameters);
  answered.then(
    (result) => process.send?.({ id, result }),
    (error: unknown) => process.send?.({ id, error: String(error) }),
  );
});
await starting.catch(fail);
