import { readFileSync } from 'node:fs';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import { presentEvent } from '../../src/auth/events/present-event.ts';
import type { StoredEvent } from '../../src/stores/events.ts';
import { onEachCommand } from './sent-commands.ts';

// Runs around every test file: each published row is as schema/events.yaml says.

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

const problems: string[] = [];

const stopWatching = onEachCommand((name, command) => {
  if (name === 'insert' && command.insert === 'events') {
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
