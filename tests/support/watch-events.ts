import { readFileSync } from 'node:fs';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Document } from 'bson';
import { parse } from 'yaml';
import { presentEvent } from '../../src/auth/events/present-event.ts';
import { ruleOf } from '../../src/stores/audit-events.ts';
import type { StoredEvent } from '../../src/stores/events.ts';
import { onEachCommand } from './sent-commands.ts';

// Runs around every test file: each event of a change that nobody would repeat had its note in that change, whichever part made it, so
// that no kill loses it; and each published row is as schema/events.yaml says.

let compiled: ValidateFunction | undefined;

/** What schema/events.yaml says about a row; read only by the test files that publish one. */
function ruleOfEvents(): ValidateFunction {
  if (!compiled) {
    const ajv = new Ajv2020({ allErrors: true });
    addFormats.default(ajv);
    compiled = ajv.compile(parse(readFileSync('schema/events.yaml', 'utf8')));
  }
  return compiled;
}

const noted = new Set<string>();
const problems: string[] = [];

const NOTED_COLLECTIONS: readonly unknown[] = ['accounts', 'doctor_profiles'];

/** The records and updates of a command of the driver. */
const changesIn = (command: Document): Document[] => [
  ...(command.documents ?? []),
  ...(command.updates ?? []).map(({ u }: { u: Document }) => u),
  ...(command.update && typeof command.update === 'object' ? [command.update] : []),
];

const stopWatching = onEachCommand((name, command) => {
  const collection: unknown = command[name];
  if (NOTED_COLLECTIONS.includes(collection)) {
    for (const { eventNotes, $addToSet } of changesIn(command)) {
      for (const { id } of [eventNotes ?? [], $addToSet?.eventNotes ?? []].flat()) {
        noted.add(id);
      }
    }
  }
  if (name === 'insert' && collection === 'audit_events') {
    for (const { _id, act, outcome, unpublished, reason, door } of command.documents) {
      // Without a change there is no note, and a test may make an event of its own.
      const isChange = outcome === 'success' && unpublished && ruleOf(act).noted && door !== 'test';
      if (isChange && !String(reason).includes('recorded later') && !noted.has(_id)) {
        problems.push(`the change of the act "${act}" had no note`);
      }
    }
  }
  if (name === 'insert' && collection === 'events') {
    for (const row of command.documents as StoredEvent[]) {
      const event = JSON.parse(JSON.stringify(presentEvent(row)));
      const rule = ruleOfEvents();
      if (!rule(event)) {
        problems.push(`${JSON.stringify(event)}: ${JSON.stringify(rule.errors)}`);
      }
    }
  }
});

afterAll(() => {
  stopWatching();
  expect([...new Set(problems)]).toEqual([]);
});
