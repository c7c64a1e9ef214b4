import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Workshop } from '../../support/gateway-process.ts';

const PRELOAD = pathToFileURL(path.resolve('tests/faults/support/kill-preload.mjs')).href;

/** Runs acts at a gateway, the last of which kills it at a moment (kill-preload.mjs). */
export async function killedAt<T>(
  { workshop, settings }: { workshop: Workshop; settings: Record<string, string> },
  moment: string,
  prepare: (url: string) => Promise<T>,
  act: (url: string, prepared: T) => Promise<unknown>,
): Promise<T> {
  const environment = { ...settings, NODE_OPTIONS: `--import ${PRELOAD}`, TEST_KILL_AT: moment };
  const victim = workshop.start({ ...environment, LOG_LEVEL: 'warn' });
  const url = await victim.url();
  const prepared = await prepare(url);
  victim.signal('SIGUSR2');
  await expect(act(url, prepared)).rejects.toThrow();
  await victim.exitCode();
  return prepared;
}
