import { shell } from './shell.ts';

/** The documentation of the REST API, with forms to try it. */
export const docsPage = (styleNonce: string): string =>
  shell({
    title: 'REST API · auth-gateway',
    entry: 'docs/main.ts',
    body: '<div id="docs"></div>',
    settings: { styleNonce },
  });
