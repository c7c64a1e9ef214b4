import { rmSync } from 'node:fs';
import type { Config, Environment } from '../config/config.ts';
import type { DatabaseServer } from '../database/server.ts';
import { systemClock } from '../system/clock.ts';
import { createLog, standardOutput } from '../system/log.ts';
import { logForPeople } from '../system/log-for-people.ts';
import { type App, createApp } from './app.ts';
import { secretReload } from './secret-reload.ts';
import { type NoticeForm, startNotice } from './start-notice.ts';

/** The gateway of this process. */
export interface Gateway {
  app: App;
  config: Config;
  /** Starts the app, and prints its addresses. */
  start(): Promise<void>;
  /** Reads the files of the secrets again. It never rejects. */
  reload(): Promise<void>;
}

interface GatewayParts {
  config: Config;
  /** What the settings were read from. */
  environment: Environment;
  /** The server of the database. */
  starting: Promise<DatabaseServer>;
}

/** Creates the app, with its log on standard output. */
export async function createGateway({ config, environment, starting }: GatewayParts): Promise<Gateway> {
  const output = standardOutput();
  const logOutput = isForPeople(config) ? await logForPeople(output, process.stdout.hasColors()) : output;
  const log = createLog(config.logLevel, logOutput);
  const app = createApp(config, log, systemClock, starting);
  removeAtExit(config);
  const start = async () => {
    output.write(startNotice(await app.start(), config, noticeForm(config)));
  };
  return { app, config, start, reload: secretReload({ app, config, environment, log }) };
}

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
