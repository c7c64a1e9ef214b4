import path from 'node:path';
import { installProject, run } from './own-project.js';

/* Runs GraphQL Code Generator, with these words. */
const folder = installProject('codegen', 'GraphQL Code Generator');
const cli = path.join(folder, 'node_modules/@graphql-codegen/cli/esm/bin.js');
// It looks for its plugins from here.
const env = { ...process.env, NODE_PATH: path.join(folder, 'node_modules') };
run(process.execPath, [cli, ...process.argv.slice(2)], { cwd: path.dirname(folder), env });
