import type { CommandDefinition } from '../support/command.ts';

export const pingCommand: CommandDefinition = { fields: [], run: () => ({}) };
