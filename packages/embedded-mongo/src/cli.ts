#!/usr/bin/env node
import { runCommandLine } from './cli/run-command-line.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), {
  usage: 'embedded-mongo COMMAND [options]',
  defaultPath: () => '.data',
  defaultPathName: '.data',
  stdout: process.stdout,
  stderr: process.stderr,
});
