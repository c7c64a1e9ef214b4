import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import path from 'node:path';
import type { Connection } from 'mysql2/promise';
import { PACKAGE_ROOT } from '../system/own-package.ts';
import { LegacyError } from './legacy-error.ts';

/*
 * The driver of the legacy database. It is an optional peer dependency, because only a move needs it. Below are the reaches into
 * the insides of mysql2 3.24.6. tests/legacy/services/silent-database.test.ts fails when they can go.
 */

/**
 * Looks for the driver before the first module that imports it is loaded.
 * @throws Refusal that says what to install
 */
export async function requireDriver(): Promise<void> {
  try {
    await import('mysql2/promise');
  } catch (cause) {
    if ((cause as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') {
      throw cause;
    }
    const { peerDependencies } = JSON.parse(readFileSync(path.join(PACKAGE_ROOT, 'package.json'), 'utf8'));
    // A plain `npm install --omit=dev` would leave it out again, because developers have it as a development dependency.
    const install = `npm install --no-save --save-prod --omit=dev mysql2@${peerDependencies.mysql2}`;
    throw new LegacyError(`The driver of the legacy database is not installed. Install it: ${install}`, {
      cause,
    });
  }
}

/**
 * Lets the process end although a server that stands still never closes its end of a connection. mysql2 does not show the socket of
 * a connection, and has no unref().
 */
export function unrefSocket(connection: Connection): void {
  const driver: { stream: Socket } = Reflect.get(connection, 'connection');
  driver.stream.unref();
}

/** True for the error of a query on a connection that was lost before. mysql2 has no code for it, only a text. */
export const isOnLostConnection = ({ message }: Error): boolean => message.includes('closed state');
