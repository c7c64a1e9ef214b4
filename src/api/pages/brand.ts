import { createHash } from 'node:crypto';
import { Router } from 'express';
import type { Brand } from '../../system/brand.ts';
import { type Html, html } from '../../system/output-encoding.ts';
import { onlyMethod } from '../http/error-responses.ts';
import { SECONDS_OF_A_YEAR } from '../http/send-file.ts';

/** What pages show of a brand: also how people reach the clinic, and files by their relative URLs. */
export interface PageBrand extends Omit<Brand, 'accent' | 'picture'> {
  contactUrl: string | undefined;
  /** A style sheet, which comes after those of the page. */
  style: string | undefined;
  picture: string | undefined;
  /** Serves both. */
  files: Router;
}

/** @param brand undefined without BRAND_FILE: the pages then have the name of the program */
export function pageBrand(brand: Brand | undefined): PageBrand {
  const { accent, picture, ...texts } = brand ?? { name: 'auth-gateway' };
  const files = Router({ strict: true, caseSensitive: true });
  /** The name of a file changes with its content. */
  const serve = (type: string, content: Buffer): string => {
    const url = `assets/brand-${createHash('sha256').update(content).digest('hex').slice(0, 16)}.${type}`;
    files.all(`/${url}`, onlyMethod('GET, HEAD'), (_req, res) => {
      res.set('Cache-Control', `public, max-age=${SECONDS_OF_A_YEAR}, immutable`);
      res.type(type).send(content);
    });
    return url;
  };
  return {
    ...texts,
    contactUrl: texts.contact && contactUrl(texts.contact),
    style: accent && serve('css', Buffer.from(styleOf(accent))),
    picture: picture && serve('png', picture),
    files,
  };
}

/** RFC 6068 and RFC 3966. */
const contactUrl = (contact: string): string =>
  contact.includes('@')
    ? `mailto:${encodeURIComponent(contact).replace(/%40(?!.*%40)/, '@')}`
    : `tel:${contact.replaceAll(/\(0\)|[^\d+]/g, '')}`;

/** Nothing without a brand. */
export const pageFooter = ({ contact = '', contactUrl, imprint, privacy }: PageBrand): Html | string => {
  const texts = { [contact]: contactUrl, Imprint: imprint, Privacy: privacy };
  const links = Object.entries(texts).flatMap(([text, url]) =>
    url ? html`<a href="${url}">${text}</a>` : [],
  );
  return links.length === 0 ? '' : html`<footer class="column">${links}</footer>`;
};

/**
 * The style sheet of an accent colour. Areas have the colour itself, and text on it is black or white, whichever has more contrast
 * (4.58 or more). Links and lines have it as dark, or in dark mode as light, as text on the backgrounds of the pages must be.
 */
function styleOf(accent: string): string {
  const shade = (light: string, dark: string) =>
    `light-dark(oklch(from ${accent} ${light} h), oklch(from ${accent} ${dark} h))`;
  const colours = {
    accent: shade('min(l, 0.45) c', 'max(l, 0.75) c'),
    'accent-strong': shade('min(l, 0.4) c', 'max(l, 0.85) c'),
    'accent-soft': shade('0.95 min(c, 0.03)', '0.28 min(c, 0.03)'),
    fill: accent,
    'fill-strong': accent,
    'on-accent': luminance(accent) > 0.179 ? '#000' : '#fff',
  };
  const lines = Object.entries(colours).map(([name, colour]) => `--${name}: ${colour}`);
  // More specific than the pages' own `:root`.
  return `html:root { ${lines.join('; ')} }\n`;
}

/** WCAG 2.2, "relative luminance". */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
