import { formatAnswer } from './transcript.js';

const EXCERPT_CHARACTERS = 120;

/**
 * @typedef {'same' | 'other bytes' | 'different'} Verdict `other bytes`: the JSON is the same, but it is spelled otherwise
 *   (PHP writes `\/` and `\u00eb` where JavaScript writes `/` and `ë`), its keys have another order, which means nothing (RFC
 *   8259 section 4), or its Content-Type names the character set or does not, which means nothing either (section 11)
 * @typedef {{ verdict: Verdict, expected?: string, actual?: string }} Comparison with the first line that differs
 */

/**
 * Compares an answer with the one in the transcript.
 * @param {import('./transcript.js').Answer} expected
 * @param {import('./transcript.js').Answer} actual as it came
 * @param {(text: string) => string} normalise puts placeholders in the place of what varies
 * @returns {Comparison}
 */
export function compare(expected, actual, normalise) {
  const exactly = firstDifference(formatAnswer(expected), normalise(formatAnswer(actual)));
  if (!exactly) {
    return { verdict: 'same' };
  }
  const inSubstance = firstDifference(laidOut(expected), normalise(laidOut(actual)));
  return inSubstance ? { verdict: 'different', ...inSubstance } : { verdict: 'other bytes', ...exactly };
}

/** An answer of which only the substance is left: its JSON with one key a line, in the order of the alphabet. */
function laidOut({ status, headers, body }) {
  const type = headers['Content-Type']?.replace(/^application\/json; *charset=utf-8$/i, 'application/json');
  const json = parse(body);
  return formatAnswer({
    status,
    headers: type === undefined ? headers : { ...headers, 'Content-Type': type },
    body: json === undefined ? body : JSON.stringify(sorted(json), null, 1),
  });
}

function sorted(json) {
  if (typeof json !== 'object' || json === null) {
    return json;
  }
  if (Array.isArray(json)) {
    return json.map(sorted);
  }
  return Object.fromEntries(
    Object.keys(json)
      .sort()
      .map((key) => [key, sorted(json[key])]),
  );
}

function parse(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** The first lines of two texts that differ, cut to where they do. */
function firstDifference(expected, actual) {
  const [ours, theirs] = [expected.split('\n'), actual.split('\n')];
  const at = ours.findIndex((line, i) => line !== theirs[i]);
  const line = at === -1 && theirs.length > ours.length ? ours.length : at;
  if (line === -1) {
    return undefined;
  }
  return excerpts(ours[line] || '(nothing)', theirs[line] || '(nothing)');
}

function excerpts(expected, actual) {
  const at = [...expected].findIndex((character, i) => character !== actual[i]);
  const from = Math.max(0, at - EXCERPT_CHARACTERS / 2);
  const cut = (line) => {
    const piece = line.slice(from, from + EXCERPT_CHARACTERS);
    return `${from > 0 ? '…' : ''}${piece}${from + piece.length < line.length ? '…' : ''}`.trim();
  };
  return { expected: cut(expected), actual: cut(actual) };
}
