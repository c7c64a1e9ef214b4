import type { CommandDefinition } from '../support/command.ts';

/** There are no sessions to end: the engine keeps no state for them. */
export const endSessionsCommand: CommandDefinition = { fields: [], run: () => ({}) };
