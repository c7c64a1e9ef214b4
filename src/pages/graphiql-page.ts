import type { ExampleOperation } from './operations.ts';
import { shell } from './shell.ts';

/** The settings for the script of the GraphiQL page. */
interface GraphiqlSettings {
  introspection: boolean;
  /** A new value for every page (CSP Level 3 section 7.1). */
  styleNonce: string;
  operations: ExampleOperation[];
}

/** The page to try the GraphQL API. */
export const graphiqlPage = (settings: GraphiqlSettings): string =>
  shell({
    title: 'GraphiQL · auth-gateway',
    entry: 'graphiql/main.tsx',
    body: '<main id="graphiql">Loading …</main>',
    settings,
  });
