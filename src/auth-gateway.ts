#!/usr/bin/env node
import './patches/saslprep.ts';
import { runCommand } from './commands.ts';
import { loadEnvironment } from './config/config.ts';

/** The checks of the doctor that were given up may never end, and would keep the process. Until then they may clean up. */
const AFTERMATH_MILLIS = 5_000;

/*
 * The command `auth-gateway`. See `auth-gateway --help`.
 */
const exitCode = await runCommand(process.argv.slice(2), loadEnvironment, process);
if (exitCode !== undefined) {
  process.exitCode = exitCode;
  setTimeout(() => process.exit(), AFTERMATH_MILLIS).unref();
}
