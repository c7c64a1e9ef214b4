import { slices } from '../../base/slices.ts';
import type { FoundDocument } from '../../query/find-documents.ts';
import type { CommandContext } from './command.ts';

/** Calls `use` with every document of a query, and pauses whenever the slice is over. Gives their number. */
export async function drain(
  { engine: { store } }: CommandContext,
  found: Iterable<FoundDocument | undefined>,
  use: (found: FoundDocument) => void,
): Promise<number> {
  let total = 0;
  slices.begin();
  store.refresh();
  for (const each of found) {
    if (each) {
      total++;
      use(each);
    } else if (slices.isOver) {
      await slices.pause();
      store.refresh();
    }
  }
  return total;
}
