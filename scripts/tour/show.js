import { stdout } from 'node:process';
import { styleText } from 'node:util';

/** Unlike `styleText` itself, Node.js 20 does not look at the stream and at NO_COLOR. */
const styled = (style, text) => (stdout.isTTY && stdout.hasColors() ? styleText(style, text) : text);

const indented = (text) => text.replace(/^/gm, '   ');
/** An argument of a shell. The texts of the tour have no quotes. */
const quoted = (text) => (/^[\w./:=@-]+$/.test(text) ? text : `'${text}'`);

const LONG_LINE = 100;
/** JSON on one line, or if that is long, each of its fields on a line. */
function inLines(json) {
  const fields = Object.entries(JSON.parse(json)).map(
    ([name, value]) => `"${name}": ${JSON.stringify(value)}`,
  );
  return json.length < LONG_LINE ? json : `{\n    ${fields.join(',\n    ')}\n  }`;
}
const shown = (text) => (text.startsWith('{') ? inLines(text) : text);

/** Tokens in full are for the one who logs in, not for a recording of this screen. */
function shortened(key, value) {
  const [, start] = (key === 'token' && /^([^|]*\|.{4})./.exec(value)) || [];
  return start === undefined ? value : `${start}…`;
}

/** A request as a curl command. */
export function curlOf(base, { method, path, headers, body, form = {} }) {
  const fields = Object.entries(form).map(([name, value]) =>
    typeof value === 'string' ? `-F ${quoted(`${name}=${shown(value)}`)}` : `-F ${name}=@${value.name}`,
  );
  const bodyless = body === undefined && fields.length === 0;
  const parts = [
    `curl ${method === 'POST' && bodyless ? '-X POST ' : ''}${base}${path}`,
    ...Object.entries(headers).map(([name, value]) => `-H "${name}: ${value}"`),
    ...(body === undefined ? [] : [`--data '${shown(body)}'`]),
    ...fields,
  ];
  return parts.join(' \\\n  ');
}

/** Prints a line of text. */
export const say = (text) => stdout.write(`${text}\n`);

/** Prints the title of a step and its request. */
export function showRequest(number, title, base, request) {
  say(`\n${styled('bold', `${number}. ${title}`)}\n`);
  say(styled('cyan', indented(curlOf(base, request))));
}

/** Prints an answer: the status and the JSON, with shortened tokens. */
export function showAnswer({ status, statusText, json }) {
  say(styled(status < 400 ? 'green' : 'yellow', indented(`→ ${status} ${statusText}`)));
  say(indented(JSON.stringify(json, shortened, 2)));
}
