import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Workshop } from '../../support/gateway-process.ts';

const PRELOAD = pathToFileURL(path.resolve('tests/faults/support/kill-preload.mjs')).href;

/** The settings of a gateway that kills itself at a moment (kill-preload.mjs) after SIGUSR2, or from its start on. */
export const dyingAt = (moment: string, since?: 'start'): Record<string, string> => ({
  NODE_OPTIONS: `--import ${PRELOAD}`,
  TEST_KILL_AT: moment,
  LOG_LEVEL: 'warn',
  ...(since && { TEST_KILL_ARMED: 'on' }),
});

/** Runs acts at a gateway, the last of which kills it at a moment. */
export async function killedAt<T>(
  { workshop, settings }: { workshop: Workshop; settings: Record<string, string> },
  moment: string,
  prepare: (url: string) => Promise<T>,
  act: (url: string, prepared: T) => Promise<unknown>,
): Promise<T> {
  const victim = workshop.start({ ...settings, ...dyingAt(moment) });
  const url = await victim.url();
  const prepared = await prepare(url);
  victim.signal('SIGUSR2');
  await expect(act(url, prepared)).rejects.toThrow();
  await victim.exitCode();
  return prepared;
}
