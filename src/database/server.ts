import type { EmbeddedMongo } from '@auth-gateway/embedded-mongo';
import { makeFolder } from '../system/make-folder.ts';
import { messageOf } from '../system/system-errors.ts';

export type DatabaseConfig =
  | { kind: 'mongodb'; uri: string }
  | { kind: 'embedded'; dataDir: string }
  /** The embedded engine without files. */
  | { kind: 'memory' };

/** Where a database listens, and what only its owner can do. */
export interface DatabaseServer {
  uri: string;
  /**
   * Writes a backup to a new folder, while requests are served. Absent for a MongoDB, which has tools of its own.
   * @param signal ends it early
   */
  backup?: (folder: string, signal: AbortSignal) => Promise<unknown>;
  /** Resolves with false while its disk is full. Absent for a MongoDB, which does not report it. */
  hasRoom?: () => Promise<boolean>;
  stop(): Promise<void>;
}

/**
 * Starts the embedded engine. A MongoDB runs already.
 * @throws EmbeddedMongoLockedError if another process has the folder; an error for people if it cannot be used
 */
export async function startServer(config: DatabaseConfig): Promise<DatabaseServer> {
  if (config.kind === 'mongodb') {
    return { uri: config.uri, stop: async () => {} };
  }
  // Loaded only here, because a gateway with a MongoDB needs no engine.
  const { startEmbeddedMongo, EmbeddedMongoLockedError } = await import('@auth-gateway/embedded-mongo');
  if (config.kind === 'memory') {
    return embedded(await startEmbeddedMongo());
  }
  const { dataDir } = config;
  try {
    // The folder may hold health data, so only the user of the service can enter it.
    await makeFolder(dataDir, 0o700);
    return embedded(await startEmbeddedMongo({ path: dataDir }));
  } catch (error) {
    if (error instanceof EmbeddedMongoLockedError) {
      error.message = error.message.replace(/\.$/, ' (DATA_DIR).');
      throw error;
    }
    throw new Error(`The data folder ${dataDir} cannot be used (DATA_DIR): ${messageOf(error)}`, {
      cause: error,
    });
  }
}

const embedded = ({ uri, backup, hasRoom, stop }: EmbeddedMongo): DatabaseServer => ({
  uri,
  hasRoom,
  backup: (folder, signal) => backup(folder, { signal }),
  stop,
});
