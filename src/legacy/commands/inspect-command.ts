import type { Command } from './command.ts';
import { legacyOptions } from './legacy-options.ts';

export const inspectCommand: Command = {
  usage: '[--files DIR]',
  summary: 'shows what is in the legacy database, and what an import would leave out; writes nothing',
  options: ['files'],
  prepare: (options) => {
    const legacy = legacyOptions(options);
    return async (session) => {
      const { runInspect } = await import('./runs/run-inspect.ts');
      await runInspect(session, legacy);
    };
  },
};
