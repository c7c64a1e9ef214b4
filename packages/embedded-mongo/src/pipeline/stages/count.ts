import { locationError, refuseFirst } from '../../base/errors.ts';
import { asInteger } from '../../values/arithmetic.ts';
import { innerName } from '../../values/names.ts';
import { collecting, type Stage } from '../stage.ts';

/** `$count`: one document with the number of documents, or none for none. */
export function countStage(operand: unknown): Stage {
  const name = innerName(checkName(operand));
  return collecting(() => {
    let total = 0;
    return {
      add: () => total++,
      results: () => (total === 0 ? [] : [{ [name]: asInteger(BigInt(total)) }]),
    };
  });
}

function checkName(name: unknown): string {
  if (typeof name !== 'string') {
    throw locationError(40156, 'the count field must be a non-empty string');
  }
  refuseFirst(
    [name === '', 40157, 'the count field must be a non-empty string'],
    [name.startsWith('$'), 40158, 'the count field cannot be a $-prefixed path'],
    [name.includes('\0'), 40159, 'the count field cannot contain a null byte'],
    [name.includes('.'), 40160, "the count field cannot contain '.'"],
    // $count is a $group by null, and the group has an _id already.
    [name === '_id', 15948, "a group's _id may only be specified once"],
  );
  return name;
}
