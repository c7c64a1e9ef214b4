import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../../support/eventually.ts';

/** How a terminal sends a pasted text to the shell: line by line like typed text, or marked as one paste. */
export const PASTES = ['as typed lines', 'as a bracketed paste'] as const;
type Paste = (typeof PASTES)[number];

/** An interactive shell in a pseudo-terminal of tmux, with an empty home. */
export interface Terminal {
  /**
   * Pastes a text, presses Enter, and waits until the shell evaluates a new command by itself, which it does only at a
   * clean prompt: not inside an open quote, and not while anything else still runs.
   * @returns everything on the screen and above it, wrapped lines joined
   * @throws if there is no clean prompt in the end
   */
  paste(text: string, how: Paste): Promise<string>;
  /** Types a line and presses Enter. */
  type(line: string): Promise<void>;
  /**
   * Waits until a text is on the screen or above it.
   * @returns all of that
   */
  shows(text: RegExp): Promise<string>;
  close(): Promise<void>;
}

/** ECMA-48 sequences by which terminals mark a paste (xterm's mode 2004). */
const PASTE_START = '\u001b[200~';
const PASTE_END = '\u001b[201~';
const PASTE_TIMEOUT_MILLIS = 60_000;

/**
 * Opens a shell.
 * @param shell `bash` or `zsh`
 * @param env its environment, in addition to PATH, HOME and the locale
 */
export async function openTerminal(shell: string, env: Record<string, string>): Promise<Terminal> {
  const home = await mkdtemp(path.join(tmpdir(), 'auth-gateway-home-'));
  // Without a start-up file, zsh runs its set-up dialog for new users.
  await writeFile(path.join(home, '.zshrc'), '');
  const environment = {
    PATH: process.env.PATH,
    LC_ALL: 'C.UTF-8',
    ...env,
    HOME: home,
    HISTFILE: '',
    TERM: 'xterm',
  };
  const tmux = async (...words: string[]): Promise<string> => {
    const options = ['-u', '-S', path.join(home, 'tmux'), '-f', '/dev/null'];
    const { stdout } = await promisify(execFile)('tmux', [...options, ...words], {
      cwd: home,
      env: environment,
    });
    return stdout;
  };
  const screen = () => tmux('capture-pane', '-p', '-J', '-S', '-');
  const type = async (command: string) => {
    await tmux('send-keys', '-l', command);
    await tmux('send-keys', 'Enter');
  };
  let prompts = 0;
  /** The sum is on the screen only if the shell has run the command, and the prompt is there after it. */
  const expectPrompt = async () => {
    prompts += 1;
    const mark = `prompt-${prompts}`;
    await type(`echo ${mark}:$((6*7))`);
    const answer = new RegExp(`^${mark}:42\\s*\\n\\s*\\S`, 'm');
    await eventually(async () => expect(await screen()).toMatch(answer), PASTE_TIMEOUT_MILLIS);
  };

  const history = ['set-option', '-g', 'history-limit', '50000', ';'];
  await tmux(...history, 'new-session', '-d', '-x', '200', '-y', '50', shell, '-i');
  await expectPrompt();
  return {
    async paste(text, how) {
      const file = path.join(home, 'pasted');
      await writeFile(file, how === 'as typed lines' ? text : `${PASTE_START}${text}${PASTE_END}`);
      await tmux('load-buffer', file, ';', 'paste-buffer');
      await tmux('send-keys', 'Enter');
      await expectPrompt();
      return screen();
    },
    type,
    async shows(text) {
      await eventually(async () => expect(await screen()).toMatch(text), PASTE_TIMEOUT_MILLIS);
      return screen();
    },
    async close() {
      await tmux('kill-server');
      await rm(home, { recursive: true, force: true });
    },
  };
}
