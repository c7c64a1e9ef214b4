import type { Connection } from 'mongoose';
import { Histogram, type Registry } from 'prom-client';
import { collectionOf } from '../../database/command-target.ts';
import { SECONDS } from './buckets.ts';

interface Command {
  command: string;
  collection: string;
  startedAt: number;
}

/**
 * Measures every database command, from its sending to its answer or failure.
 * @param connection opened with `monitorCommands`; otherwise nothing is measured
 */
export function watchDatabase(registry: Registry, connection: Connection): void {
  const durations = new Histogram({
    name: 'auth_gateway_database_command_duration_seconds',
    help: 'Round trips to the database.',
    labelNames: ['command', 'collection', 'outcome'],
    buckets: SECONDS,
    registers: [registry],
  });
  const running = new Map<number, Command>();
  const end = (requestId: number, outcome: 'success' | 'failure') => {
    const ended = running.get(requestId);
    if (!running.delete(requestId) || !ended) {
      return;
    }
    const { command, collection, startedAt } = ended;
    durations.observe({ command, collection, outcome }, (performance.now() - startedAt) / 1000);
  };
  connection
    .getClient()
    .on('commandStarted', ({ requestId, commandName, command }) => {
      const collection = collectionOf(command, commandName) ?? 'none';
      running.set(requestId, { command: commandName, collection, startedAt: performance.now() });
    })
    .on('commandSucceeded', ({ requestId }) => end(requestId, 'success'))
    .on('commandFailed', ({ requestId }) => end(requestId, 'failure'));
}
