import {
  type GraphQLField,
  type GraphQLNamedType,
  GraphQLString,
  getNullableType,
  isListType,
  TypeNameMetaFieldDef as TYPE_NAME,
} from 'graphql';
import { Extensions } from 'type-graphql';

/** How many items a list has at most: a number, or the value of an argument of its field or of the field around it. */
export type ItemCount = number | { argument: string; most: number };

/** What a field may answer, as it is kept in the extensions of the schema. */
interface Size {
  items?: ItemCount;
  characters?: number;
}

/** Says how many items a list has. Every list of the schema needs it (`limit-lists.ts`). */
export const Items = (items: ItemCount): PropertyDecorator & MethodDecorator => Extensions(sizeOf({ items }));

/** Says how long a value may be, where it is not as long as others of its type. */
export const Characters = (characters: number): PropertyDecorator => Extensions(sizeOf({ characters }));

/** The extensions of a field that say its size. */
export const sizeOf = (size: Size): Record<string, unknown> => ({ ...size });

type Field = GraphQLField<unknown, unknown>;

/** @returns undefined for a field that is no list. A list that does not say how many items it has is taken for a long one */
export function itemsOf({ type, extensions }: Field): ItemCount | undefined {
  const { items } = extensions as Size;
  return isListType(getNullableType(type)) ? (items ?? LONG_LIST) : undefined;
}

const LONG_LIST = 1_000;
/** A line of text, such as a name. */
const LINE_CHARACTERS = 255;
/** An id, a time, a number, a word of an enum. */
const SHORT_CHARACTERS = 40;

/** How long one value of a field may be, without its name. */
export function charactersOf({ name, extensions }: Field, type: GraphQLNamedType): number {
  const { characters } = extensions as Size;
  const isLine = type === GraphQLString && name !== TYPE_NAME.name;
  return characters ?? (isLine ? LINE_CHARACTERS : SHORT_CHARACTERS);
}
