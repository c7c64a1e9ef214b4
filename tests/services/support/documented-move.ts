import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type GatewayProcess, watch } from '../../support/gateway-process.ts';
import type { ProgramResult } from '../../support/program.ts';
import { expectNoSecretsIn } from '../../support/response-record.ts';
import { SEARCH_PATH } from './programs.mjs';

const DOCUMENT = 'docs/migration.md';
const ROOT = path.resolve(import.meta.dirname, '../../..');

/** `npm run` without the build before it: other tests use the same files at this time. */
const NPM = `#!/bin/sh
[ "$1" = start ] && exec node "${ROOT}/dist/main.js"
program=$3; shift 4
[ "$program" = legacy ] && exec node "${ROOT}/dist/cli/legacy.js" "$@"
[ "$program" = contract ] && exec node "${ROOT}/tests/contract/legacy/run.js" "$@"
exit 127
`;

/** Runs a command as this user, with the nginx of the test instead of that in /etc/nginx. */
const sudo = (nginxFolder: string) => `#!/bin/bash
[ "$1" = nginx ] && exec nginx -p '${nginxFolder}' -c '${nginxFolder}/nginx.conf' -e stderr "\${@:2}"
exec "\${@//\\/etc\\/nginx/${nginxFolder.replaceAll('/', '\\/')}}"
`;

/** The blocks of shell commands or SQL under a heading of docs/migration.md, up to the next heading of any level. */
export async function documentedBlocks(heading: string, language: 'sh' | 'sql' | 'ini' = 'sh'): Promise<string[]> {
  const document = await readFile(DOCUMENT, 'utf8');
  const section = document.split(/^##+ /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const blocks = section.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'));
  return [...blocks].map(([, code = '']) => code);
}

/** A person at a shell who does what docs/migration.md says, in a folder with `move.env`. */
export interface Operator {
  folder: string;
  /** Runs commands to their end. The first that fails ends them. */
  run(code: string): Promise<ProgramResult>;
  /** The same, and expects that all have exited with 0. Returns what they have printed. */
  done(code: string): Promise<string>;
  /** Starts a command in a terminal of its own. */
  start(code: string): GatewayProcess;
  /** Ends what it has started. Fails if anything has printed a secret. */
  leave(): Promise<void>;
}

/**
 * @param nginxFolder what is `/etc/nginx` for the operator
 * @param settings the lines of `move.env`
 * @param replaced what the operator writes in the place of addresses and folders of the document
 */
export async function anOperator(
  nginxFolder: string,
  settings: Record<string, string>,
  replaced: Record<string, string>,
): Promise<Operator> {
  const folder = await mkdtemp(path.join(tmpdir(), 'auth-gateway-operator-'));
  const programs = path.join(folder, 'bin');
  await mkdir(programs);
  await writeFile(path.join(programs, 'npm'), NPM, { mode: 0o755 });
  await writeFile(path.join(programs, 'sudo'), sudo(nginxFolder), { mode: 0o755 });
  const here = (code: string) =>
    Object.entries(replaced).reduce((text, [from, to]) => text.replaceAll(from, to), code);
  const [[documented = ''], [, inEachTerminal = '']] = [
    await documentedBlocks('Access', 'ini'),
    ['', ...(await documentedBlocks('Access'))],
  ];
  const lines = Object.entries(settings).map(([name, value]) => `${name}='${value}'\n`);
  await writeFile(path.join(folder, 'move.env'), here(documented) + lines.join(''), { mode: 0o600 });
  const env = { PATH: `${programs}:${SEARCH_PATH}`, HOME: folder };
  const children: ChildProcess[] = [];
  const started: GatewayProcess[] = [];
  const start = (code: string): GatewayProcess => {
    // A group of its own, so that a signal reaches the command as Ctrl-C in a terminal does.
    const child = spawn('bash', ['-ec', inEachTerminal + here(code)], { cwd: folder, env, detached: true });
    const running = watch(child);
    children.push(child);
    started.push(running);
    return { ...running, get stdout() { return running.stdout; }, get stderr() { return running.stderr; }, get pid() { return running.pid; },
      signal: (name) => void process.kill(-running.pid, name) };
  };
  const run = async (code: string): Promise<ProgramResult> => {
    const running = start(code);
    const exitCode = await running.exitCode();
    return { code: exitCode, stdout: running.stdout, stderr: running.stderr };
  };
  return {
    folder,
    run,
    start,
    async done(code) {
      const result = await run(code);
      expect({ command: code, ...result }).toMatchObject({ code: 0 });
      return result.stdout;
    },
    async leave() {
      for (const { pid, exitCode, exitSignal } of children.map((child) => ({ pid: child.pid, exitCode: child.exitCode, exitSignal: child.signalCode }))) {
        if (pid !== undefined && exitCode === null && exitSignal === null) {
          process.kill(-pid, 'SIGKILL');
        }
      }
      for (const running of started) {
        await running.exitCode();
        expectNoSecretsIn(running.stdout + running.stderr);
      }
      await rm(folder, { recursive: true });
    },
  };
}
