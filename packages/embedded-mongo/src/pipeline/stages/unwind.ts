import type { Document } from 'bson';
import { locationError } from '../../base/errors.ts';
import { splitPath } from '../../values/names.ts';
import { getPath, setPath, unsetPath } from '../../values/set-path.ts';
import { isDocument, MISSING } from '../../values/types.ts';
import type { Stage } from '../stage.ts';

/** `$unwind`: one document for each element of an array. */
export function unwindStage(operand: unknown): Stage {
  const {
    path,
    includeArrayIndex,
    preserveNullAndEmptyArrays = false,
  } = isDocument(operand) ? operand : { path: operand };
  if (typeof path !== 'string' || !path.startsWith('$')) {
    throw locationError(28818, `path option to $unwind stage should be prefixed with a '$': ${path}`);
  }
  const parts = splitPath(path.slice(1));
  return function* unwind(documents) {
    for (const document of documents) {
      if (document === undefined) {
        yield undefined;
        continue;
      }
      for (const [result, index] of unwound(document, parts, preserveNullAndEmptyArrays)) {
        if (includeArrayIndex) {
          setPath(result, splitPath(String(includeArrayIndex)), index);
        }
        yield result;
      }
    }
  };
}

/** The documents that one document becomes, each with its position in the array (null where there is no array). */
function* unwound(
  document: Document,
  parts: readonly string[],
  keepsEmpty: boolean,
): Generator<[Document, number | null]> {
  const value = getPath(document, parts);
  if (Array.isArray(value) && value.length > 0) {
    for (const [i, item] of value.entries()) {
      yield [replaced(document, parts, item), i];
    }
  } else if (!isEmpty(value)) {
    yield [replaced(document, parts, value), null];
  } else if (keepsEmpty) {
    yield [Array.isArray(value) ? without(document, parts) : { ...document }, null];
  }
}

function isEmpty(value: unknown): boolean {
  return value === null || value === MISSING || Array.isArray(value);
}

/** The document with another value at a path. It shares everything beside the path. */
function replaced(document: Document, [first = '', ...rest]: readonly string[], value: unknown): Document {
  const inner = rest.length === 0 ? value : replaced(document[first], rest, value);
  return { ...document, [first]: inner };
}

function without(document: Document, parts: readonly string[]): Document {
  const result = replaced(document, parts, null);
  unsetPath(result, parts);
  return result;
}
