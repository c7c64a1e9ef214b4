/** A header of a part that cannot be read. Its text says why, and is public. */
export class UnreadableHeaderError extends Error {}

/** What the headers of a part say. All others are ignored, as in PHP. */
export interface PartHeaders {
  name: string;
  /** Without folders; may be empty. undefined for a text. */
  fileName: string | undefined;
  /** The Content-Type; empty without one. */
  type: string;
}

/** A header without control characters in its value. */
const HEADER = /^([\w!#$%&'*+.^`|~-]+):((?:\t|\P{Cc})*)$/u;

/**
 * Reads the headers of a part (RFC 7578 section 4.2). Any disposition will do: PHP does not look at it.
 * @throws UnreadableHeaderError if they can be read in two ways, or in none
 */
export function partHeadersOf(block: string): PartHeaders {
  const headers = new Map<string, string>();
  // A line that begins with a blank belongs to the one before it (RFC 5322 section 2.2.3).
  for (const line of block.split(/\r\n(?![ \t])/)) {
    const [, name, value = ''] = HEADER.exec(line.replaceAll('\r\n', '')) ?? [];
    if (name === undefined) {
      throw new UnreadableHeaderError('a header of a part is broken');
    }
    const key = name.toLowerCase();
    if (key.startsWith('content-') && headers.has(key)) {
      throw new UnreadableHeaderError('a header of a part is sent twice');
    }
    headers.set(key, value);
  }
  const parameters = parametersOf(headers.get('content-disposition') ?? '');
  const name = parameters.get('name');
  if (name === undefined || name.includes('\ufffd')) {
    throw new UnreadableHeaderError('a part has no name in UTF-8');
  }
  const fileName = fileNameOf(parameters);
  const folders = Math.max(fileName?.lastIndexOf('/') ?? -1, fileName?.lastIndexOf('\\') ?? -1);
  return { name, fileName: fileName?.slice(folders + 1), type: headers.get('content-type') ?? '' };
}

/** RFC 7578 section 4.2 forbids `filename*`. React Native sends it beside `filename`, others in its place. */
function fileNameOf(parameters: ReadonlyMap<string, string>): string | undefined {
  const plain = parameters.get('filename');
  if (plain !== undefined || ![...parameters.keys()].some((name) => name.startsWith('filename*'))) {
    return plain;
  }
  const [, encoded = '%'] = /^utf-8'[^']*'(.+)$/i.exec(parameters.get('filename*') ?? '') ?? [];
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw new UnreadableHeaderError('a file name is not in UTF-8');
  }
}

/**
 * A parameter: a name, and a value in quotes, in apostrophes or in neither. A quote ends a value only at the end of the parameter, and
 * a backslash escapes only a quote or a backslash: Windows has it in paths. There is one way to match each character.
 */
const PARAMETER =
  /[ \t;]*([\w!#$%&'*+.^`|~-]+)[ \t]*=[ \t]*(?:"((?:\\["\\]|\\(?!["\\])|[^"\\]|"(?![ \t]*(?:;|$)))*)"|'((?:[^']|'(?![ \t]*(?:;|$)))*)'|([^"';][^";]*)?)[ \t]*(?:;|$)/y;

/** The parameters of a disposition by name in lower case, as PHP reads them. */
function parametersOf(disposition: string): Map<string, string> {
  const parameters = new Map<string, string>();
  // The first word is the type.
  PARAMETER.lastIndex = /^[^;=]*(?:;|$)/.exec(disposition)?.[0].length ?? 0;
  while (!/^[ \t;]*$/.test(disposition.slice(PARAMETER.lastIndex))) {
    const [, sent = '', quoted, apostrophes, plain = ''] = PARAMETER.exec(disposition) ?? [];
    const name = sent.toLowerCase();
    const value = quoted ?? apostrophes ?? plain.trim();
    const inner = value.replaceAll(/\\["\\]/g, '').includes(quoted === undefined ? "'" : '"');
    // With a semicolon after it, others may end the value at its first quote.
    if (name === '' || parameters.has(name) || (inner && value.includes(';'))) {
      const problem = parameters.has(name) ? 'is sent twice' : 'cannot be read';
      throw new UnreadableHeaderError(`a parameter of a part ${problem}`);
    }
    parameters.set(name, value.replaceAll(/\\(["\\])/g, '$1'));
  }
  return parameters;
}
