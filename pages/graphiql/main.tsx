import './nonce.ts';
import 'graphiql/setup-workers/vite';
import 'graphiql/style.css';
import './graphiql.css';
import { GraphiQL } from 'graphiql';
import { createRoot } from 'react-dom/client';
import { type ExampleOperation, settings } from './graphiql-settings.ts';
import { memoryStorage } from './memory-storage.ts';

const main = document.getElementById('graphiql');
if (main) {
  createRoot(main).render(<Page operations={settings.operations} />);
}

function Page({ operations }: { operations: ExampleOperation[] }) {
  return (
    <GraphiQL
      fetcher={fetcher}
      storage={memoryStorage()}
      defaultTabs={operations}
      defaultEditorToolsVisibility="variables"
    />
  );
}

async function fetcher(request: object) {
  const response = await fetch('graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify(request),
  });
  return response.json();
}
