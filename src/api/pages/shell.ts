import { assetUrl, findEntry } from './assets.ts';

/** A page, before it is written as HTML. */
export interface Page {
  title: string;
  /** The source of its entry in `pages/vite.config.ts`, such as `docs/main.ts`. */
  entry: string;
  /** HTML. */
  body: string;
  /** For the script of the page: `readSettings` in `pages/shared` reads it. */
  settings?: object;
}

/** Writes a page as HTML. It loads only files of this server. */
export function shell({ title, entry, body, settings }: Page): string {
  const { script, styles } = findEntry(entry);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${assetUrl('shared/favicon.svg')}">
${styles.map((url) => `<link rel="stylesheet" href="${url}">`).join('\n')}
<script src="${script}" type="module"></script>
</head>
<body>
${body}
${settings ? `<script type="application/json" id="settings">${json(settings)}</script>` : ''}
</body>
</html>
`;
}

/** JSON for the inside of a script element, which ends at the first `</script`. */
const json = (value: object): string => JSON.stringify(value).replaceAll('<', '\\u003c');
