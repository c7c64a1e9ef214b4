import { type Document, ObjectId } from 'bson';

/** A query without its values: what decides which index serves it. */
export interface QueryShape {
  collection: string;
  /** With `text`, `date`, `number` and `pattern` for values of these types. */
  filter: Document;
  sort: Document;
}

/** A text that is the same for equal shapes. */
export const textOf = ({ collection, filter, sort }: QueryShape): string =>
  [collection, JSON.stringify(filter), JSON.stringify(sort)].join(' ');

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
  const shape = shapeOfValue(filter) as Document;
  const unique = UNIQUE.find((field) => typeof shape[field] === 'string' && shape[field] !== 'pattern');
  if (unique) {
    return { collection, filter: { [unique]: shape[unique] }, sort: {} };
  }
  return { collection, filter: shape, sort: sort instanceof Map ? Object.fromEntries(sort) : sort };
}

const isEmpty = (document: Document | Map<string, unknown> = {}): boolean =>
  document instanceof Map ? document.size === 0 : Object.keys(document).length === 0;

function shapeOfValue(value: unknown): unknown {
  if (Array.isArray(value)) {
    const parts = value.map(shapeOfValue);
    const different = new Map(parts.map((part) => [JSON.stringify(part), part]));
    return different.size > 0 ? [...different.values()] : ['text'];
  }
  if (value instanceof Date) {
    return 'date';
  }
  if (value instanceof RegExp) {
    return 'pattern';
  }
  if (value instanceof ObjectId) {
    return 'objectId';
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shapeOfValue(part)]));
  }
  const types: Record<string, string> = { string: 'text', number: 'number', bigint: 'number' };
  return types[typeof value] ?? value ?? null;
}
