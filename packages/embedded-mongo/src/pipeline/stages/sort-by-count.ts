import { refuseFirst } from '../../base/errors.ts';
import { isDocument } from '../../values/types.ts';
import type { PipelineCompiler, Stage, StageContext } from '../stage.ts';

/** `$sortByCount` is a $group and a $sort (MongoDB's manual). */
export function sortByCountStage(
  operand: unknown,
  context: StageContext,
  compilePipeline: PipelineCompiler,
): Stage {
  const problem = 'the sortByCount field must be a $-prefixed path or an expression inside an object';
  const start = isDocument(operand) ? Object.keys(operand)[0] : operand;
  const hasDollar = typeof start === 'string' && start.startsWith('$');
  refuseFirst(
    [isDocument(operand) && !hasDollar, 40147, problem],
    [typeof operand === 'string' && !hasDollar, 40148, problem],
    [!hasDollar, 40149, problem],
  );
  const group = { $group: { _id: operand, count: { $sum: 1 } } };
  return compilePipeline([group, { $sort: { count: -1 } }], context);
}
