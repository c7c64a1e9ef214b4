import { escapeHtml } from '../system/output-encoding.ts';
import type { Letter } from './letter.ts';

/** Control characters can only hide or forge a part of a text. */
const CONTROL = /[^\P{Cc}\n\t]/gu;

const readable = (text: string): string => text.replaceAll('\r\n', '\n').replace(CONTROL, '');

/** The link of a mail. Only addresses of the web are links: no other scheme has a place in our mails. */
const webLinkOf = ({ link }: Letter) => {
  if (link && !/^https?:\/\//i.test(link.url)) {
    throw new Error('the link of a mail must be an http or https address');
  }
  return link;
};

/** The text of a mail: its paragraphs, and the link on a line of its own. */
export function letterText(letter: Letter): string {
  const link = webLinkOf(letter);
  const paragraphs = letter.paragraphs.map(readable);
  return `${[...paragraphs, ...(link ? [`${link.label}:\n${link.url}`] : [])].join('\n\n')}\n`;
}

const FONT = 'font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif';

/**
 * The same as HTML. It shows the address of its link, so that readers see where it leads. It has no pictures and loads nothing:
 * opening it tells nobody.
 */
export function letterHtml(letter: Letter): string {
  const link = webLinkOf(letter);
  const paragraphs = letter.paragraphs.map((text) => escapeHtml(readable(text)).replaceAll('\n', '<br>'));
  if (link) {
    const url = escapeHtml(link.url);
    paragraphs.push(`<a href="${url}">${escapeHtml(link.label)}</a>`, `<small>${url}</small>`);
  }
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    `<title>${escapeHtml(letter.subject)}</title>`,
    '</head>',
    `<body style="${escapeHtml(FONT)};margin:1.5em;max-width:38em;overflow-wrap:anywhere">`,
    ...paragraphs.map((html) => `<p>${html}</p>`),
    '</body>',
    '</html>',
    '',
  ].join('\n');
}
