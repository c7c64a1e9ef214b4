import './monaco-environment.ts';
import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import 'graphiql/graphiql.css';
import './graphiql.css';
import { createRoot } from 'react-dom/client';
import { GraphiqlPage } from './graphiql-page.tsx';

const root = document.getElementById('graphiql');
if (root) {
  createRoot(root).render(<GraphiqlPage />);
}
