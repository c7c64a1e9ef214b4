import type { Document } from 'bson';
import type { CommandContext, CommandDefinition } from '../support/command.ts';
import { VERSION } from './version.ts';

/** A small part of MongoDB's `serverStatus`. */
export const serverStatusCommand: CommandDefinition = {
  fields: ['repl', 'metrics', 'locks'],
  run: serverStatus,
};

function serverStatus({ engine }: CommandContext): Document {
  const uptimeMillis = Date.now() - engine.startedAt;
  const { rss } = process.memoryUsage();
  return {
    host: '127.0.0.1',
    version: VERSION,
    process: 'embedded-mongo',
    pid: process.pid,
    uptime: uptimeMillis / 1000,
    uptimeMillis,
    localTime: new Date(),
    mem: { bits: 64, resident: Math.round(rss / 1024 / 1024), supported: true },
    storageEngine: { name: 'lmdb', supportsCommittedReads: true, persistent: true },
  };
}
