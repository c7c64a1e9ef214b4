/**
 * Names of documents as a legacy service has them that stores documents with Laravel's `storeAs`. Each is a trap for somebody
 * who encodes, decodes, trims or normalises.
 */
export const ORDINARY_NAMES = [
  'scan of licence.pdf',
  'Zeugnis Führung.pdf',
  'Zeugnis Fu\u0308hrung.pdf',
  '免許証.pdf',
  '🪪.pdf',
  '100%.pdf',
  '%41.pdf',
  '%2e%2e',
  '%252F.pdf',
  'a+b c.pdf',
  '#1.pdf',
  'what?.pdf',
  'a&b=c;d,e@f:g$h.pdf',
  `it's "quoted" (1)!*~.pdf`,
  '<b>`{x}|^[y].pdf',
  ' blank first.pdf',
  'blank last ',
  'dot last.',
  'a..b',
  'license',
  '-rf',
  'CON',
  'aux.pdf',
  'scan.pdf::$DATA',
  'C:scan.pdf',
  'scan.\u202efdp.exe',
  'scan.pdf;x=y.ÿ',
  `${'x'.repeat(251)}.pdf`,
  `${'ü'.repeat(125)}.pdf`,
  `${'z'.repeat(39)}.pdf`,
];

/** The path of a URL with a name in it, as RFC 3986 encodes it. */
export const inUrl = (name: string): string =>
  encodeURIComponent(name).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
