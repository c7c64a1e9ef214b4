import './system/oldest-node.ts';
import { constants } from 'node:os';
import path from 'node:path';
import { isatty } from 'node:tty';
import type { Gateway } from './app/gateway.ts';
import { keepCompiledCode } from './patches/compiled-code.ts';
import { messageOf } from './system/system-errors.ts';

/** One Ctrl-C under `npm start` may come twice: from the terminal and from npm. */
const REPETITION_MILLIS = 200;

/** How long a stop may take beyond the grace: to undo work that was cut off, or because the database is unavailable. */
const CLOSING_MILLIS = 4_000;

/** The first signal to stop. */
let stop: { signal: NodeJS.Signals; atMillis: number } | undefined;

/**
 * True if the signal only repeats the first. The shell and the system both report the end of a terminal, where nobody can press
 * Ctrl-C any more.
 */
const isRepetition = (signal: NodeJS.Signals, sinceMillis: number): boolean =>
  signal === 'SIGHUP' || (signal === 'SIGINT' && signal === stop?.signal && sinceMillis < REPETITION_MILLIS);

/**
 * The first signal stops the app. The second ends the process at once, with the exit code that a shell has for the signal
 * (128 plus its number), so that a supervisor can distinguish a forced end from a stop (0) and a failure (1).
 */
function stopOn(signal: NodeJS.Signals): void {
  process.on(signal, () => {
    const now = performance.now();
    if (stop && isRepetition(signal, now - stop.atMillis)) {
      return;
    }
    if (stop) {
      process.exit(128 + constants.signals[signal]);
    }
    stop = { signal, atMillis: now };
    stopGateway().then(() => process.exit(0), fail);
  });
}

async function stopGateway(): Promise<void> {
  const { app, config } = await loading;
  const tooLate = () => fail(new Error('The stop did not end in time.'));
  setTimeout(tooLate, config.stopGraceMillis + CLOSING_MILLIS);
  await app.stop();
}

/** Without a terminal, SIGHUP asks a service to read its files again (daemon(7)). */
function reloadOnHangup(): void {
  process.on('SIGHUP', async () => {
    const gateway = await loading.catch(() => undefined);
    if (!stop) {
      await gateway?.reload();
    }
  });
}

function fail(error: unknown): never {
  process.stderr.write(`auth-gateway: ${messageOf(error)}\n`);
  process.exit(1);
}

/**
 * Reads the settings, and loads all other code. Meanwhile the embedded database, if there is one, already starts in its thread.
 * So what is loaded before that must be little.
 * @throws ConfigError
 */
async function loadGateway(): Promise<Gateway> {
  const [{ loadEnvironment, readConfig }, { startServer }, { lowerHashingThreads }] = await Promise.all([
    import('./config/config.ts'),
    import('./database/server.ts'),
    import('./patches/thread-priorities.ts'),
  ]);
  const environment = loadEnvironment();
  const config = readConfig(environment);
  await lowerHashingThreads();
  const starting = startServer(config.database);
  // The app waits for it later. Until then a failure is not an unhandled rejection.
  starting.catch(() => {});
  const { createGateway } = await import('./app/gateway.ts');
  return createGateway({ config, environment, starting });
}

// Before anything else is loaded, which takes up to a second: without a handler, a signal ends the process.
stopOn('SIGINT');
stopOn('SIGTERM');
if (isatty(0)) {
  // SIGHUP then says that the terminal is gone.
  stopOn('SIGHUP');
} else {
  reloadOnHangup();
}
keepCompiledCode(path.join(import.meta.dirname, '../node_modules/.cache/auth-gateway'));
const loading = loadGateway();
try {
  const gateway = await loading;
  if (!stop) {
    await gateway.start();
  }
} catch (error) {
  // A start that ends because of a signal is no failure.
  if (!stop) {
    fail(error);
  }
}
