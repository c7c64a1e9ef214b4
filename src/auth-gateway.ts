#!/usr/bin/env node
import './system/oldest-node.ts';

/** The checks of the checker that were given up may never end, and would keep the process. Until then they may clean up. */
const AFTERMATH_MILLIS = 5_000;

/*
 * The command `auth-gateway`. See `auth-gateway --help`.
 */
// Only now: static imports are loaded, and fail, before the version of Node.js is checked.
const { runCommand } = await import('./commands.ts');
const { loadEnvironment } = await import('./config/config.ts');
const exitCode = await runCommand(process.argv.slice(2), loadEnvironment, process);
if (exitCode !== undefined) {
  process.exitCode = exitCode;
  setTimeout(() => process.exit(), AFTERMATH_MILLIS).unref();
}
