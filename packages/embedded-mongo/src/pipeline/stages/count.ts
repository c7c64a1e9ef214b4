import { demand } from '../../base/errors.ts';
import { asInteger } from '../../values/arithmetic.ts';
import { innerName } from '../../values/names.ts';
import { collecting, type Stage } from '../stage.ts';

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
