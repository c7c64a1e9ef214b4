import { rmSync } from 'node:fs';
import { constants } from 'node:os';
import { isatty } from 'node:tty';
import { type App, createApp } from './app/app.ts';
import { secretReload } from './app/secret-reload.ts';
import { type NoticeForm, startNotice } from './app/start-notice.ts';
import { type Config, loadEnvironment, readConfig } from './config/config.ts';
import { createLog, standardOutput } from './system/log.ts';
import { logForPeople } from './system/log-for-people.ts';
import { messageOf } from './system/system-errors.ts';
import { preferMainThread } from './system/thread-priorities.ts';

/** True if the process belongs to a terminal. SIGHUP then says that the terminal is gone. */
const isAtTerminal = isatty(0);

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', ...(isAtTerminal ? (['SIGHUP'] as const) : [])] as const;

/** One Ctrl-C under `npm start` may come twice: from the terminal and from npm. */
const ECHO_MILLIS = 200;

/** How long a stop may take beyond the grace: to undo work that was cut off, or because the database is away. */
const CLOSING_MILLIS = 4_000;

/** In development, a person at a terminal gets text. Programs, also those that read a pipe, get JSON. */
const isForPeople = ({ mode }: Config): boolean => mode === 'development' && process.stdout.isTTY;

function noticeForm(config: Config): NoticeForm {
  if (config.mode === 'production') {
    return 'json';
  }
  return isForPeople(config) ? 'block' : 'line';
}

/** What is in memory must leave nothing on the disk. At the end of the process nothing uses the folder any more. */
function removeAtExit({ storageDir, isStorageTemporary }: Config): void {
  if (isStorageTemporary) {
    process.on('exit', () => rmSync(storageDir, { recursive: true, force: true }));
  }
}

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
function stopOnSignals(app: App, { stopGraceMillis }: Config): void {
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      const now = performance.now();
      if (stop && isEcho(signal, now - stop.atMillis)) {
        return;
      }
      if (stop) {
        process.exit(128 + constants.signals[signal]);
      }
      stop = { signal, atMillis: now };
      const tooLate = () => fail(new Error('The stop did not end in time.'));
      setTimeout(tooLate, stopGraceMillis + CLOSING_MILLIS);
      app.stop().then(() => process.exit(0), fail);
    });
  }
}

/** Without a terminal, SIGHUP asks a service to read its files again (daemon(7)). */
function reloadOnHangup(reload: () => Promise<void>): void {
  if (!isAtTerminal) {
    process.on('SIGHUP', () => {
      if (!stop) {
        void reload();
      }
    });
  }
}

function fail(error: unknown): never {
  process.stderr.write(`auth-gateway: ${messageOf(error)}\n`);
  process.exit(1);
}

try {
  preferMainThread();
  const environment = loadEnvironment();
  const config = readConfig(environment);
  const output = standardOutput();
  const logOutput = isForPeople(config) ? await logForPeople(output, process.stdout.hasColors()) : output;
  const log = createLog(config.logLevel, logOutput);
  const app = createApp(config, log);
  removeAtExit(config);
  stopOnSignals(app, config);
  reloadOnHangup(secretReload({ app, config, environment, log }));
  output.write(startNotice(await app.start(), config, noticeForm(config)));
} catch (error) {
  // A start that ends because of a signal is no failure.
  if (!stop) {
    fail(error);
  }
}
