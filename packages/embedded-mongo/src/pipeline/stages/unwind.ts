import { type Document, Long } from 'bson';
import { demand } from '../../base/errors.ts';
import { lookUp } from '../../base/look-up.ts';
import { parseFieldPath } from '../../expressions/field-path.ts';
import { isDocument, MISSING } from '../../values/types.ts';
import { fieldAt, withField } from '../document-path.ts';
import type { Stage } from '../stage.ts';

/** `$unwind`: one document for each element of an array. */
export function unwindStage(operand: unknown): Stage {
  const { path, indexPath, keepsEmpty } = parseUnwind(operand);
  return function* unwind(documents) {
    for (const document of documents) {
      if (document === undefined) {
        yield undefined;
        continue;
      }
      for (const [result, index] of unwound(document, path, keepsEmpty)) {
        yield indexPath ? withField(result, indexPath, index) : result;
      }
    }
  };
}

/** The options of `$unwind`, each with the code for a value of the wrong form. */
const OPTIONS: Record<string, [number, (value: unknown) => boolean]> = {
  path: [28808, (value) => typeof value === 'string'],
  preserveNullAndEmptyArrays: [28809, (value) => typeof value === 'boolean'],
  includeArrayIndex: [28810, (value) => typeof value === 'string' && value !== ''],
};

function parseUnwind(operand: unknown) {
  const isKnown = isDocument(operand) || typeof operand === 'string';
  demand(isKnown, 15981, 'the specification of $unwind must be a string or an object');
  const options: Document = isDocument(operand) ? operand : { path: operand };
  for (const [name, value] of Object.entries(options)) {
    const [code, isValid] = lookUp(OPTIONS, name) ?? [28811, () => false];
    demand(isValid(value), code, `invalid or unrecognized option to $unwind stage: ${name}`);
  }
  const { path = '', includeArrayIndex, preserveNullAndEmptyArrays: keepsEmpty = false } = options;
  demand(!includeArrayIndex?.startsWith('$'), 28822, "includeArrayIndex should not begin with a '$'");
  demand(path !== '', 28812, 'no path specified to $unwind stage');
  demand(path.startsWith('$'), 28818, `the path of $unwind should begin with a '$': ${path}`);
  const indexPath = includeArrayIndex && parseFieldPath(includeArrayIndex);
  return { path: parseFieldPath(path.slice(1)), indexPath, keepsEmpty };
}

/** The documents that one document becomes, each with its position in the array (null where there is no array). */
function* unwound(
  document: Document,
  path: readonly string[],
  keepsEmpty: boolean,
): Generator<[Document, Long | null]> {
  const value = fieldAt(document, path);
  if (!Array.isArray(value)) {
    if (keepsEmpty || (value !== null && value !== MISSING)) {
      yield [document, null];
    }
    return;
  }
  for (const [i, item] of value.entries()) {
    yield [withField(document, path, item), Long.fromNumber(i)];
  }
  if (keepsEmpty && value.length === 0) {
    yield [withField(document, path, MISSING), null];
  }
}
