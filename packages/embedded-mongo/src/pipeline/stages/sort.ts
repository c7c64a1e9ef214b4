import type { Document } from 'bson';
import { demand } from '../../base/errors.ts';
import { SortBuffer, Sorter } from '../../query/sort.ts';
import { encode } from '../../values/bson-codec.ts';
import { isDocument } from '../../values/types.ts';
import { collecting, type Stage, type StageContext } from '../stage.ts';

/** `$sort`: holds all documents in memory, up to the limit of SortBuffer. */
export function sortStage(operand: unknown, { collator }: StageContext): Stage {
  demand(isDocument(operand), 15973, 'the $sort key specification must be an object');
  demand(Object.keys(operand).length > 0, 15976, '$sort stage must have at least one sort key');
  const sorter = new Sorter(operand, collator);
  return collecting(() => {
    const buffer = new SortBuffer<{ raw: Buffer; document: Document }>(sorter, Infinity);
    return {
      add: (document) => buffer.add({ raw: encode(document), document }, document),
      *results() {
        for (const { document } of buffer.sorted()) {
          yield document;
        }
      },
    };
  });
}
