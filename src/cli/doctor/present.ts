import { UNPRINTABLE } from '../../system/output-encoding.ts';
import type { Line } from '../print.ts';
import type { Level, NamedFinding } from './finding.ts';
import type { ExitCode, Verdict } from './verdict.ts';

const LEVEL_WIDTH = 9;
const CHECK_WIDTH = 11;
const TEXT_WIDTH = 80;

const LABELS: Readonly<Record<Level, string>> = {
  ok: 'ok',
  note: 'note',
  warning: 'WARNING',
  error: 'ERROR',
};

/** A row of the table for people, with what to do in lines of its own; an object for programs. */
export function presentFinding(finding: NamedFinding): Line {
  const { level, check, text, todo } = finding;
  const first = `${LABELS[level].padEnd(LEVEL_WIDTH)}${check.padEnd(CHECK_WIDTH)}`;
  const blank = ' '.repeat(first.length);
  const lines = [
    ...wrapped(text).map((line) => `${blank}${line}`),
    ...(todo === undefined
      ? []
      : wrapped(todo).map((line, index) => `${blank}${index === 0 ? '-> ' : '   '}${line}`)),
  ];
  return { text: [`${first}${lines[0]?.slice(first.length)}`, ...lines.slice(1)], json: finding };
}

const RESULTS: Readonly<Record<ExitCode, string>> = {
  0: 'This installation is sound.',
  1: 'This installation can take traffic, but look at the warnings.',
  2: 'This installation must not take traffic before the errors are mended.',
};

/** The last line. */
export function presentResult({ exitCode, counts }: Verdict): Line {
  const text = `${RESULTS[exitCode]} Errors: ${counts.error}, warnings: ${counts.warning}.`;
  return { text: ['', text], json: { result: RESULTS[exitCode], exitCode, counts } };
}

/** Lines between words. A message of a server may have line breaks. */
function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.replace(UNPRINTABLE, ' ').split(/ +/)) {
    if (line !== '' && line.length + 1 + word.length > TEXT_WIDTH) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
