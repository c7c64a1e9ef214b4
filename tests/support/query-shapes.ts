import { type Document, ObjectId } from 'bson';

/** A query without its values: what decides which index serves it. */
export interface QueryShape {
  collection: string;
  /** JSON, with `text`, `date`, `number` and `pattern` for values of these types. */
  filter: string;
  /** JSON */
  sort: string;
}

/** A text that is the same for equal shapes. */
export const textOf = ({ collection, filter, sort }: QueryShape): string => `${collection} ${filter} ${sort}`;

/** The queries of a command: each of its statements has one, and each `$lookup` has one at the other collection. */
export function shapesOf(name: string, command: Document): QueryShape[] {
  const collection = String(command[name]);
  switch (name) {
    case 'find':
      // Of all documents, the first ones are found at once.
      return command.limit && isEmpty(command.filter) && isEmpty(command.sort)
        ? []
        : [shapeOf(collection, command.filter, command.sort)];
    case 'count':
    case 'distinct':
    case 'findAndModify':
      return [shapeOf(collection, command.query, command.sort)];
    case 'update':
    case 'delete':
      return command[`${name}s`].map(({ q, sort }: Document) => shapeOf(collection, q, sort));
    case 'bulkWrite':
      return command.ops.flatMap((op: Document) => {
        const namespace = String(command.nsInfo[op.update ?? op.delete]?.ns);
        return 'filter' in op ? [shapeOf(namespace.slice(namespace.indexOf('.') + 1), op.filter)] : [];
      });
    case 'aggregate':
      return shapesOfPipeline(collection, command.pipeline);
    default:
      return [];
  }
}

function shapesOfPipeline(collection: string, pipeline: Document[]): QueryShape[] {
  const [first, second] = pipeline;
  const { $match, $sort = second?.$sort } = first ?? {};
  const lookUps = pipeline.flatMap(({ $lookup }) =>
    $lookup ? [shapeOf($lookup.from, { [$lookup.foreignField]: 'value' })] : [],
  );
  return [shapeOf(collection, $match, $sort), ...lookUps];
}

/** Of a document with this value, there is one at most. */
const UNIQUE = ['_id', 'emailKey', 'key', 'limitKey'];

function shapeOf(
  collection: string,
  filter: Document = {},
  sort: Document | Map<string, unknown> = {},
): QueryShape {
  const unique = UNIQUE.find((field) => field in filter && isSingleValue(filter[field]));
  if (unique) {
    return { collection, filter: withoutValues({ [unique]: filter[unique] }), sort: '{}' };
  }
  const order = sort instanceof Map ? Object.fromEntries(sort) : sort;
  return { collection, filter: withoutValues(filter), sort: JSON.stringify(order) };
}

const isSingleValue = (value: unknown): boolean =>
  ['string', 'number', 'bigint'].includes(typeof value) || value instanceof Date || value instanceof ObjectId;

const isEmpty = (document: Document | Map<string, unknown> = {}): boolean =>
  document instanceof Map ? document.size === 0 : Object.keys(document).length === 0;

/** The JSON of a filter with types instead of values. Tests send a hundred thousand queries, so it makes only this text. */
function withoutValues(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return '"text"';
    case 'number':
    case 'bigint':
      return '"number"';
    case 'object':
      return value === null ? 'null' : withoutObjectValues(value);
    default:
      return JSON.stringify(value ?? null);
  }
}

function withoutObjectValues(value: object): string {
  if (Array.isArray(value)) {
    return value.length === 0 ? '["text"]' : `[${[...new Set(value.map(withoutValues))]}]`;
  }
  if (value instanceof Date) {
    return '"date"';
  }
  if (value instanceof RegExp) {
    return '"pattern"';
  }
  if (value instanceof ObjectId) {
    return '"objectId"';
  }
  return `{${Object.entries(value).map(([key, part]) => `"${key}":${withoutValues(part)}`)}}`;
}
