import { demand } from '../../base/errors.ts';
import { compileFilter } from '../../matching/matcher.ts';
import { isDocument } from '../../values/types.ts';
import type { Stage, StageContext } from '../stage.ts';

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
