import type { Document } from 'bson';
import type { FoundDocument } from '../../query/find-documents.ts';
import type { CommandContext } from './command.ts';

/** Calls `use` with every document of a query, and lets other commands go first in between. Gives their number. */
export async function drain(
  { engine }: CommandContext,
  found: Iterable<FoundDocument | undefined>,
  use: (document: Document) => void,
): Promise<number> {
  let total = 0;
  for (const each of found) {
    if (each) {
      total++;
      use(each.document);
      continue;
    }
    await new Promise((resolve) => setImmediate(resolve));
    engine.store.refresh();
  }
  return total;
}
