import type { Document } from 'bson';
import { locationError, mongoError, refuseFirst } from '../../base/errors.ts';
import { fieldPathOf } from '../../query/projection.ts';
import { SortBuffer, Sorter } from '../../query/sort.ts';
import { encode } from '../../values/bson-codec.ts';
import { outerName } from '../../values/names.ts';
import { isNumeric } from '../../values/numbers.ts';
import { isDocument } from '../../values/types.ts';
import { collecting, type Stage, type StageContext } from '../stage.ts';

/** `$sort`: holds all documents in memory, up to the limit of SortBuffer. */
export function sortStage(operand: unknown, { collator }: StageContext): Stage {
  if (!isDocument(operand)) {
    throw locationError(15973, 'the $sort key specification must be an object');
  }
  for (const [path, direction] of Object.entries(operand)) {
    checkKey(outerName(path), direction);
  }
  if (Object.keys(operand).length === 0) {
    throw locationError(15976, '$sort stage must have at least one sort key');
  }
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

function checkKey(path: string, direction: unknown): void {
  if (isDocument(direction) && '$meta' in direction) {
    throw mongoError('NotImplemented', '$meta sort is not implemented by the embedded engine');
  }
  const sign = isNumeric(direction) ? Math.trunc(Number(direction)) : 0;
  refuseFirst(
    [isDocument(direction), 17312, '$meta is the only expression supported by $sort right now'],
    [!isNumeric(direction), 15974, `Illegal key in $sort specification: ${path}`],
    [Math.abs(sign) !== 1, 15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)'],
  );
  fieldPathOf(path);
}
