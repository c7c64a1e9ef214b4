import { GraphiQL } from 'graphiql';
import { fillExample } from './examples.ts';
import { fetcher } from './fetcher.ts';
import { FilePickers } from './file-pickers.tsx';
import { FollowTabs } from './follow-tabs.tsx';
import { settings } from './graphiql-settings.ts';
import { memoryStorage } from './memory-storage.ts';
import { pageState } from './page-state.ts';
import { TokenOffer } from './token-offer.tsx';

const { session } = pageState.get();
const tabs = settings.operations.map(({ query, variables }) => ({
  query,
  ...(variables !== undefined && { variables: fillExample(variables, session) }),
}));
const storage = memoryStorage();
/** A file is null among the variables, which the variables editor would underline. */
const scalars = { Upload: { type: 'null' } } as const;

/** GraphiQL with what operations of this gateway need: a token, files, and example variables. */
export function GraphiqlPage() {
  return (
    <>
      <header>
        <h1>
          <a href="./">auth-gateway</a> GraphiQL
        </h1>
        <a href="docs">REST API</a>
        <TokenOffer />
        <FilePickers />
      </header>
      <main>
        <GraphiQL
          fetcher={fetcher}
          storage={storage}
          customScalarSchemas={scalars}
          {...(!settings.introspection && { schema: null })}
          defaultTabs={tabs}
          initialVariables={tabs[0]?.variables ?? ''}
          defaultHeaders={'{\n  "Authorization": "Bearer "\n}'}
          defaultEditorToolsVisibility="variables"
          showPersistHeadersSettings={false}
        >
          <FollowTabs />
        </GraphiQL>
      </main>
    </>
  );
}
