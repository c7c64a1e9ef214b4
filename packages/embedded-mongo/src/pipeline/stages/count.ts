import { locationError } from '../../base/errors.ts';
import { innerName } from '../../values/names.ts';
import type { Stage } from '../stage.ts';

/** `$count`: one document with the number of documents, or none for none. */
export function countStage(operand: unknown): Stage {
  if (typeof operand !== 'string' || operand === '' || /[$.\0]/.test(operand)) {
    throw locationError(40156, 'the count field must be a non-empty string without $ and .');
  }
  return function* count(documents) {
    let total = 0;
    for (const document of documents) {
      if (document) {
        total++;
      } else {
        yield undefined;
      }
    }
    if (total > 0) {
      yield { [innerName(operand)]: total };
    }
  };
}
