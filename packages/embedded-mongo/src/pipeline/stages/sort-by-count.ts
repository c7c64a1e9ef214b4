import type { PipelineCompiler, Stage, StageContext } from '../stage.ts';

/** `$sortByCount` is a $group and a $sort (MongoDB's manual). */
export function sortByCountStage(
  operand: unknown,
  context: StageContext,
  compilePipeline: PipelineCompiler,
): Stage {
  const group = { $group: { _id: operand, count: { $sum: 1 } } };
  return compilePipeline([group, { $sort: { count: -1 } }], context);
}
