import path from 'node:path';
import { installProject, run } from './own-project.js';

/*
 * Makes the manual: a site of all documents, with a search that needs no server. A gateway with PAGES=on serves it at /manual. A link
 * that leads nowhere is an error.
 */
const folder = installProject('docs', 'VitePress');
run(process.execPath, [path.join(folder, 'node_modules/vitepress/bin/vitepress.js'), 'build', folder]);
