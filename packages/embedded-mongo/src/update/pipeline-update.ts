import type { Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import { lookUp } from '../base/look-up.ts';
import { parseStage } from '../pipeline/compile-pipeline.ts';
import { DOCUMENT_STAGES } from '../pipeline/document-stages.ts';
import type { MatchContext } from '../values/match-context.ts';

/** An update in the form of a pipeline. It may contain only stages that turn one document into one document. */
export function compilePipelineUpdate(
  pipeline: readonly unknown[],
  context: MatchContext,
): (document: Document) => Document {
  const steps = pipeline.map((stage) => {
    const [name, operand] = parseStage(stage);
    const compile = lookUp(DOCUMENT_STAGES, name);
    if (!compile) {
      throw mongoError('InvalidOptions', `${name} is not allowed to be used within an update`);
    }
    return compile(operand, context, name);
  });
  return (document) => {
    const id = document._id;
    const after = steps.reduce((result, step) => step(result), document);
    return id === undefined || '_id' in after ? after : { _id: id, ...after };
  };
}
