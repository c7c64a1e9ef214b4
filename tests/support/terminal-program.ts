import { writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Writes a program that starts the gateway at a terminal: `script` of util-linux is the terminal, and ends with the gateway.
 * @param onSigterm what `script` gets if the program gets SIGTERM. If it is killed, the system sends SIGHUP to the gateway
 * @returns the path of the program
 */
export async function writeTerminalProgram(folder: string, onSigterm: NodeJS.Signals): Promise<string> {
  const program = path.join(folder, 'terminal.mjs');
  await writeFile(
    program,
    `import { spawn } from 'node:child_process';
     const command = ${JSON.stringify(`${process.execPath} ${path.resolve('dist/main.js')}`)};
     const child = spawn('script', ['-qec', command, '/dev/null'], { stdio: ['ignore', 'inherit', 'inherit'] });
     process.on('SIGTERM', () => child.kill('${onSigterm}'));
     child.on('exit', () => process.exit(0));`,
  );
  return program;
}
