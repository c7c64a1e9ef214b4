/*
 * As much XML as the answers of S3 and STS have: elements without attributes, with text or other elements. Texts with
 * anything else, such as comments, CDATA or a document type, do not match. Each search is linear in the length of the text.
 */

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const decode = (text: string): string =>
  text.replace(
    /&(?:#(\d{1,7})|#x([0-9A-Fa-f]{1,6})|(amp|lt|gt|quot|apos));/g,
    (whole, decimal, hex, name) => {
      if (name) {
        return ENTITIES[name] ?? whole;
      }
      const point = decimal ? Number(decimal) : Number.parseInt(hex, 16);
      return point <= 0x10_ff_ff ? String.fromCodePoint(point) : whole;
    },
  );

/** No key, code, token or time has so many. To decode megabytes would block the process. */
const MAX_TEXT_CHARACTERS = 65_536;

/**
 * The text in the first element of a name.
 * @returns undefined if there is none, if it is far too long, or if it contains other elements
 */
export function elementOf(xml: string, name: string): string | undefined {
  const [content] = elementsOf(xml, name);
  const isText = content !== undefined && content.length <= MAX_TEXT_CHARACTERS && !content.includes('<');
  return isText ? decode(content) : undefined;
}

/** The contents of all elements of a name, as they stand in the text. An element must not contain another one of its name. */
export function* elementsOf(xml: string, name: string): Generator<string> {
  const [open, close] = [`<${name}>`, `</${name}>`];
  for (let from = xml.indexOf(open); from !== -1; ) {
    const start = from + open.length;
    const end = xml.indexOf(close, start);
    if (end === -1) {
      return;
    }
    yield xml.slice(start, end);
    from = xml.indexOf(open, end + close.length);
  }
}
