import type { ExampleOperation } from './operations.ts';
import { shell } from './shell.ts';

/** The settings for the script of the GraphiQL page. */
interface GraphiqlSettings {
  introspection: boolean;
  /** A new value for every page (CSP Level 3 section 7.1). */
  styleNonce: string;
  operations: ExampleOperation[];
}

const NOTICE =
  '<aside id="notice">Introspection is off here: operations run, but there is no documentation.</aside>\n';

/** The page to try the GraphQL API. */
export const graphiqlPage = (settings: GraphiqlSettings): string =>
  shell({
    title: 'GraphiQL · auth-gateway',
    entry: 'graphiql/main.tsx',
    body: `${settings.introspection ? '' : NOTICE}<div id="graphiql"><main>Loading …</main></div>`,
    settings,
  });
