import type { Document } from 'bson';
import { demand } from '../../base/errors.ts';
import { compileFilter } from '../../matching/matcher.ts';
import { sliced } from '../../query/find-documents.ts';
import { SortBuffer, Sorter } from '../../query/sort.ts';
import { asInteger } from '../../values/arithmetic.ts';
import { encode } from '../../values/bson-codec.ts';
import { innerName } from '../../values/names.ts';
import { isNumeric } from '../../values/numbers.ts';
import { isDocument } from '../../values/types.ts';
import { collecting, type Stage, type StageContext } from '../stage.ts';

/** `$match`: keeps the documents that a filter matches. */
export function matchStage(operand: unknown, context: StageContext): Stage {
  demand(isDocument(operand), 15959, 'the match filter must be an expression in an object');
  const test = compileFilter(operand, context);
  return function* match(documents) {
    for (const document of documents) {
      if (document === undefined || test(document)) {
        yield document;
      }
    }
  };
}

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
        for (const each of buffer.sorted()) {
          yield each?.document;
        }
      },
    };
  });
}

/** `$skip`: leaves out the first documents. */
export function skipStage(operand: unknown): Stage {
  const skip = skipOperand(operand);
  return (documents) => sliced(documents, skip, Infinity);
}

/** `$limit`: keeps only the first documents. */
export function limitStage(operand: unknown): Stage {
  const limit = limitOperand(operand);
  return (documents) => sliced(documents, 0, limit);
}

/** The operand of `$skip`, a whole number of any type that is not negative (5107200). */
export function skipOperand(value: unknown): number {
  return countOf(value, '$skip', 5107200);
}

/** The operand of `$limit`, a whole number of any type (5107201) above zero (15958). */
export function limitOperand(value: unknown): number {
  const limit = countOf(value, '$limit', 5107201);
  demand(limit > 0, 15958, 'the limit must be positive');
  return limit;
}

function countOf(value: unknown, name: string, code: number): number {
  const count = isNumeric(value) ? Number(value) : -1;
  const isCount = Number.isInteger(count) && count >= 0 && count < 2 ** 63;
  demand(isCount, code, `invalid argument to ${name} stage: not a non-negative integer`);
  return count;
}

/** `$count`: one document with the number of documents, or none for none. */
export function countStage(operand: unknown): Stage {
  const problem = "the count field must be a non-empty string without '.', and not '_id'";
  demand(typeof operand === 'string', 40156, problem);
  demand(operand !== '', 40157, problem);
  demand(!operand.startsWith('$'), 40158, problem);
  demand(!operand.includes('\0'), 40159, problem);
  demand(!operand.includes('.'), 40160, problem);
  // $count is a $group by null, and the group has an _id already.
  demand(operand !== '_id', 15948, problem);
  return collecting(() => {
    let total = 0;
    return {
      add: () => total++,
      results: () => (total === 0 ? [] : [{ [innerName(operand)]: asInteger(BigInt(total)) }]),
    };
  });
}
