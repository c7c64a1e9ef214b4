import type { Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import { compileDocumentStage, DOCUMENT_STAGES } from '../pipeline/document-stages.ts';
import type { MatchContext } from '../values/match-context.ts';
import { isDocument } from '../values/types.ts';

/** An update in the form of a pipeline. It may contain only stages that turn one document into one document. */
export function compilePipelineUpdate(
  pipeline: readonly unknown[],
  context: MatchContext,
): (document: Document) => Document {
  const steps = pipeline.map((stage) => {
    const [name = '', ...more] = isDocument(stage) ? Object.keys(stage) : [];
    if (more.length > 0 || !isDocument(stage)) {
      throw mongoError(
        'FailedToParse',
        'A pipeline stage specification object must contain exactly one field.',
      );
    }
    if (!DOCUMENT_STAGES.has(name)) {
      throw mongoError('InvalidOptions', `${name} is not allowed to be used within an update`);
    }
    return compileDocumentStage(name, stage[name], context);
  });
  return (document) => {
    const id = document._id;
    const after = steps.reduce((result, step) => step(result), document);
    return id === undefined || '_id' in after ? after : { _id: id, ...after };
  };
}
