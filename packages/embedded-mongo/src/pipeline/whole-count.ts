import type { Document } from 'bson';
import { isDocument } from '../values/types.ts';

/**
 * The pipeline of the drivers' `countDocuments({})`, which counts a whole collection: `$match: {}` and
 * `$group: { _id: 1, n: { $sum: 1 } }`. The store knows the number without reading a document.
 * @returns the group of a number of documents; undefined for every other pipeline
 */
export function wholeCount(pipeline: readonly Document[]): ((count: number) => Document) | undefined {
  const [match, group, ...more] = pipeline;
  const { $group: fields } = group ?? {};
  if (!isDocument(match?.$match) || Object.keys(match.$match).length > 0 || !fields || more.length > 0) {
    return undefined;
  }
  const { _id, ...others } = fields;
  const [[name, sum] = ['', undefined], another] = Object.entries(others);
  const isCount = !another && isDocument(sum) && Object.keys(sum).length === 1 && sum.$sum === 1;
  return (_id === 1 || _id === null) && isCount ? (count) => ({ _id, [name]: count }) : undefined;
}
