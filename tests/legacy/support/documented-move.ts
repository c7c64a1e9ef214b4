import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SEARCH_PATH } from '../../services/support/programs.mjs';
import { type GatewayProcess, watch } from '../../support/gateway-process.ts';
import type { ProgramResult } from '../../support/program.ts';

const PAGES = ['docs/migration.md', 'docs/migration/way-back.md'];
const ROOT = path.resolve(import.meta.dirname, '../../..');

const COMMAND = `#!/bin/sh
exec node "${ROOT}/dist/auth-gateway.js" "$@"
`;

/** `npm run` without the build before it: other tests use the same files at this time. */
const NPM = `#!/bin/sh
[ "$1" = start ] && exec node "${ROOT}/dist/main.js"
program=$3; shift 4
[ "$program" = contract ] && exec node "${ROOT}/tests/contract/legacy/run.js" "$@"
exit 127
`;

/** Runs a command as this user, with the nginx of the test instead of that in /etc/nginx. */
const sudo = (nginxFolder: string) => `#!/bin/bash
[ "$1" = nginx ] && exec nginx -p '${nginxFolder}' -c '${nginxFolder}/nginx.conf' -e stderr "\${@:2}"
exec "\${@//\\/etc\\/nginx/${nginxFolder.replaceAll('/', '\\/')}}"
`;

/** The blocks of shell commands or SQL under a heading of the move or its way back, up to the next heading of any level. */
export async function documentedBlocks(
  heading: string,
  language: 'sh' | 'sql' | 'ini' = 'sh',
): Promise<string[]> {
  const pages = await Promise.all(PAGES.map((page) => readFile(page, 'utf8')));
  const section =
    pages
      .join('\n')
      .split(/^##+ /m)
      .find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const blocks = section.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'));
  return [...blocks].map(([, code = '']) => code);
}

/** A person at a shell who does what these pages say, in a folder with `move.env`. */
export interface Operator {
  folder: string;
  /** Runs commands to their end, up to the first that fails. */
  run(code: string): Promise<ProgramResult>;
  /** The same, and expects that all have exited with 0. Returns what they have printed. */
  done(code: string): Promise<string>;
  /** Starts commands in a terminal of their own. */
  start(code: string): GatewayProcess;
  /** Presses Ctrl-C in such a terminal. */
  interrupt(running: GatewayProcess): void;
  /** Ends what still runs. Returns all that was printed. */
  leave(): Promise<string>;
}

/**
 * Makes a folder with `move.env`, and the programs `auth-gateway`, `npm` and `sudo` of the operator.
 * @param nginxFolder what is `/etc/nginx` for the operator
 * @param settings lines of `move.env`, in addition to those of the document
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
  await writeFile(path.join(programs, 'auth-gateway'), COMMAND, { mode: 0o755 });
  await writeFile(path.join(programs, 'npm'), NPM, { mode: 0o755 });
  await writeFile(path.join(programs, 'sudo'), sudo(nginxFolder), { mode: 0o755 });
  const fitted = (code: string) =>
    Object.entries(replaced).reduce((text, [from, to]) => text.replaceAll(from, to), code);
  const [addresses = ''] = await documentedBlocks('Access', 'ini');
  const [inEachTerminal = ''] = await documentedBlocks('Access');
  const lines = Object.entries(settings).map(([name, value]) => `${name}='${value}'\n`);
  await writeFile(path.join(folder, 'move.env'), fitted(addresses) + lines.join(''));

  const env = { PATH: `${programs}:${SEARCH_PATH}`, HOME: folder };
  const terminals = new Set<GatewayProcess>();
  const closed: GatewayProcess[] = [];
  const start = (code: string) => {
    // With a group of processes for each terminal, a signal reaches all its commands.
    const options = { cwd: folder, env, detached: true };
    const running = watch(spawn('bash', ['-ec', inEachTerminal + fitted(code)], options));
    terminals.add(running);
    const close = () => {
      terminals.delete(running);
      closed.push(running);
    };
    running.exitCode().then(close, close);
    return running;
  };
  const run = async (code: string) => {
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
    interrupt: ({ pid }) => void process.kill(-pid, 'SIGINT'),
    async leave() {
      for (const running of terminals) {
        process.kill(-running.pid, 'SIGKILL');
        await running.exitCode();
      }
      await rm(folder, { recursive: true });
      return closed.map(({ stdout, stderr }) => stdout + stderr).join('');
    },
  };
}
