// A module of its own, because it has to run before the modules of Monaco.
import EditorWorker from 'monaco-editor/esm/vs/editor/editor.worker.js?worker';
import JsonWorker from 'monaco-editor/esm/vs/language/json/json.worker.js?worker';
import GraphqlWorker from 'monaco-graphql/esm/graphql.worker.js?worker';
import { permitStyles } from '../shared/style-nonce.ts';
import { settings } from './graphiql-settings.ts';
import { createTrustedTypesPolicy, permitEditorStyles } from './inline-styles.ts';

permitStyles(settings.styleNonce);
permitEditorStyles();

const WORKERS: Readonly<Record<string, new () => Worker>> = { json: JsonWorker, graphql: GraphqlWorker };

// In place of `graphiql/setup-workers/vite`, which does the same without the policy, and writes to the console.
Object.assign(globalThis, {
  MonacoEnvironment: {
    getWorker: (_id: string, label: string) => new (WORKERS[label] ?? EditorWorker)(),
    createTrustedTypesPolicy,
  },
});
