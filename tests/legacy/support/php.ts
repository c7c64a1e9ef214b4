import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { json, text } from 'node:stream/consumers';

/** Evaluates an expression of PHP, in which `$in` is the input. */
async function evaluate(expression: string, input: unknown): Promise<unknown> {
  const code = `$in = json_decode(stream_get_contents(STDIN), true); echo json_encode(${expression});`;
  const php = spawn('php', ['-r', code]);
  php.stdin.end(JSON.stringify(input));
  const [answer, errors, [exitCode]] = await Promise.all([
    json(php.stdout).catch(() => undefined),
    text(php.stderr),
    once(php, 'close'),
  ]);
  if (exitCode !== 0 || answer === undefined) {
    throw new Error(`php ended with ${exitCode} on ${expression}: ${errors}`);
  }
  return answer;
}

/** PHP's password_verify: true if the hash belongs to the password. */
export const phpPasswordVerify = (password: string, hash: string): Promise<boolean> =>
  evaluate('password_verify($in[0], $in[1])', [password, hash]) as Promise<boolean>;
