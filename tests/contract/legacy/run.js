/*
 * npm run contract -- <url> [--ids number] [--record <file>] [--timeout <seconds>] [--json]: asks a service what the
 * transcripts beside this file ask, and says where it answers otherwise. docs/migration.md, step 5, says what for.
 * It compares Content-Type, WWW-Authenticate, Allow, Location, Retry-After and the X-RateLimit headers, and compares ids, tokens and
 * addresses of documents by shape, and by whether they are the same as before (varying.js). No transcript has a 503 or 500: no request
 * from outside can cause them.
 * Exit code: 0 nothing but spelling differs, 1 something differs, 2 it could not be run.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compare } from './compare.js';
import { countByEndpoint, formatResult, formatTable } from './report.js';
import { NoAnswerError, send } from './send.js';
import { formatAnswer, readTranscripts } from './transcript.js';
import { MissingValueError, Varying } from './varying.js';

const USAGE =
  'usage: npm run contract -- <url> [--ids number] [--record <file>] [--timeout <seconds>] [--json]';

/** What keeps this from being run; its message is for the operator. */
class CannotRunError extends Error {}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        record: { type: 'string' },
        ids: { type: 'string', default: 'text' },
        timeout: { type: 'string', default: '10' },
        json: { type: 'boolean', default: false },
      },
    });
    const [url, ...others] = positionals;
    if (url === undefined || others.length > 0) {
      throw new Error('one address is needed');
    }
    return { ...values, base: readUrl(url), ids: readIds(values.ids), timeout: readTimeout(values.timeout) };
  } catch (error) {
    throw new CannotRunError(`${error.message}\n${USAGE}`);
  }
}

function readUrl(text) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.search && !url.hash) {
    return url;
  }
  throw new Error(`"${text}" is not the address of a service, such as http://127.0.0.1:4000`);
}

function readIds(text) {
  if (text === 'text' || text === 'number') {
    return text;
  }
  throw new Error('--ids must be text or number, the JSON type of the ids in answers');
}

function readTimeout(text) {
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (seconds === 0) {
    throw new Error('--timeout must be a whole number from 1 to 999');
  }
  return seconds;
}

/** Asks one exchange, as often as it says; the first answer that is not the same counts. */
async function run(base, exchange, varying, timeout) {
  const { name, method, path, request, times } = exchange;
  const outcomes = [];
  while (outcomes.length < times && !outcomes.at(-1)?.isSilent) {
    outcomes.push(await ask(base, exchange, varying, timeout));
  }
  const outcome = outcomes.find(({ verdict }) => verdict !== 'same') ?? outcomes[0];
  return { name, method, path, request, ...outcome };
}

async function ask(base, exchange, varying, timeout) {
  const { expected } = exchange;
  const normalise = (text) => varying.normalise(text, expected.body);
  try {
    const answer = await send(base, exchange, varying, timeout);
    return { ...compare(expected, answer, normalise), answer: normalise(formatAnswer(answer)) };
  } catch (error) {
    const isSilent = error instanceof NoAnswerError;
    if (!(isSilent || error instanceof MissingValueError)) {
      throw error;
    }
    const actual = isSilent ? `(${error.message})` : `(not asked: ${error.message})`;
    return { verdict: 'different', expected: `HTTP ${expected.status}`, actual, answer: actual, isSilent };
  }
}

/** Asks all exchanges in turn. A service that does not answer twice in a row, or not even once, is not asked further. */
async function runAll({ base, timeout, ids }, show) {
  const varying = new Varying(ids);
  const results = [];
  for (const exchange of readTranscripts(new URL('./', import.meta.url))) {
    const result = await run(base, exchange, varying, timeout);
    const before = results.at(-1);
    if (result.isSilent && (!before || before.isSilent)) {
      throw new CannotRunError(`${base.href}: ${result.answer}`);
    }
    results.push(result);
    show(result);
  }
  return results;
}

/** Writes to a file, or says why not. */
function write(file, text) {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new CannotRunError(`${file} cannot be written: ${error.message}`);
  }
}

async function main() {
  const args = readArguments();
  const { base, record, json } = args;
  // Now, not after a minute of work.
  if (record !== undefined) {
    write(record, '');
  }
  const print = (text) => process.stdout.write(`${text}\n`);
  const results = await runAll(args, (result) => json || print(formatResult(result)));
  const endpoints = countByEndpoint(results);
  if (record !== undefined) {
    write(record, results.map(formatRecord).join('\n'));
  }
  print(
    json ? JSON.stringify({ url: base.href, results, endpoints }, null, 2) : `\n${formatTable(endpoints)}`,
  );
  return results.some(({ verdict }) => verdict === 'different') ? 1 : 0;
}

const formatRecord = ({ name, request, answer }) => `### ${name}\n${request}\n\n${answer}\n`;

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof CannotRunError)) {
    throw error;
  }
  process.stderr.write(`contract: ${error.message}\n`);
  process.exitCode = 2;
}
