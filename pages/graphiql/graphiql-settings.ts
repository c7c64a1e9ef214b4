import { readSettings } from '../shared/settings.ts';

/** An operation that is ready to run; `variables` is JSON. */
export interface ExampleOperation {
  query: string;
  variables?: string;
}

/** What the server tells the page (`src/api/pages/pages.routes.ts`). */
export const settings = readSettings<{
  introspection: boolean;
  /** A new value for every page (CSP Level 3 section 7.1). */
  styleNonce: string;
  operations: ExampleOperation[];
}>();
