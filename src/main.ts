import { constants } from 'node:os';
import path from 'node:path';
import { isatty } from 'node:tty';
import { keepCompiledCode } from './patches/compiled-code.ts';
import { messageOf } from './system/system-errors.ts';

/** One Ctrl-C under `npm start` may come twice: from the terminal and from npm. */
const ECHO_MILLIS = 200;

/** How long a stop may take beyond the grace: to undo work that was cut off, or because the database is away. */
const CLOSING_MILLIS = 4_000;

/** The first signal to stop. */
let stop: { signal: NodeJS.Signals; atMillis: number } | undefined;

/**
 * True for a signal that is no second wish to stop. The shell and the system both report the end of a terminal, and nobody is
 * left there to wish for anything.
 */
const isEcho = (signal: NodeJS.Signals, sinceMillis: number): boolean =>
  signal === 'SIGHUP' || (signal === 'SIGINT' && signal === stop?.signal && sinceMillis < ECHO_MILLIS);

/**
 * The first signal stops the app. The second ends the process at once, with the exit code that a shell has for the signal
 * (128 plus its number), so that a supervisor can tell a forced end from a stop (0) and a failure (1).
 */
function stopOn(signal: NodeJS.Signals): void {
  process.on(signal, () => {
    const now = performance.now();
    if (stop && isEcho(signal, now - stop.atMillis)) {
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
const loading = import('./app/load-gateway.ts').then(({ loadGateway }) => loadGateway());
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
