import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  GraphQLString,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  TypeNameMetaFieldDef as TYPE_NAME,
  valueFromASTUntyped,
} from 'graphql';
import { Extensions } from 'type-graphql';
import type { MakeError, ResolvedRequest } from '../context.ts';
import { BAD_REQUEST } from '../graphql-errors.ts';
import { withDefaults } from '../operation.ts';
import { LIMITS, LimitError } from './limits.ts';

const MILLIONS = LIMITS.answerCharacters / 1_000_000;
const TOO_MANY_PROFILES = `An operation must not present more than ${LIMITS.profiles} profiles.`;
const TOO_LONG = `An operation must not ask for more than ${MILLIONS} million characters. Ask for fewer items, or fewer fields of each.`;

/**
 * Limits what an operation presents, before any of its fields runs: the items of each list, times what is selected of each item,
 * under aliases and through fragments. 7 KB could otherwise ask for 1,600 profiles, or for 17 MB, which are written without a break.
 */
export function limitLists(context: ResolvedRequest): MakeError | undefined {
  const { operation } = context;
  const problem = operation && problemOf(known.get(operation) ?? presentedBy(context, operation));
  return problem === undefined ? undefined : () => refusal(problem);
}

/** What operations without variables present. Clients send the same ones again and again. */
const known = new WeakMap<OperationDefinitionNode, Presented>();

function presentedBy(
  { schema, document, request }: ResolvedRequest,
  operation: OperationDefinitionNode,
): Presented {
  const variables = withDefaults(operation, request.variables ?? {});
  const presented = new AnswerSize(schema, document, variables).of(operation);
  const { variableDefinitions = [] } = operation;
  if (variableDefinitions.length === 0) {
    known.set(operation, presented);
  }
  return presented;
}

function problemOf({ profiles, characters }: Presented): string | undefined {
  if (profiles > LIMITS.profiles) {
    return TOO_MANY_PROFILES;
  }
  return characters > LIMITS.answerCharacters ? TOO_LONG : undefined;
}

const refusal = (message: string) =>
  new LimitError(message, { extensions: { code: 'GRAPHQL_VALIDATION_FAILED', ...BAD_REQUEST } });

/** The most that an operation may present. */
interface Presented {
  /** Each has long texts, and URLs that are signed. */
  profiles: number;
  /** Of the values and their names, in JSON. */
  characters: number;
}

const PROFILE = 'DoctorProfile';
/** Two quotes, a colon and a comma. */
const PUNCTUATION = 4;

type Field = GraphQLField<unknown, unknown>;

/** A selection set, and the type that it selects from. */
interface Selected {
  type: GraphQLNamedType | undefined;
  selectionSet: SelectionSetNode;
}

/** What is selected under one name of the answer. As in an execution, selections of one name are one field. */
interface ResponseField {
  field: Field;
  node: FieldNode;
  selected: Selected[];
}

/** A field and its place in the document, for the arguments. */
type Around = Pick<ResponseField, 'field' | 'node'> | undefined;

/** Computes the most that operations of a valid document may present, whatever their `@skip` and `@include` say. */
export class AnswerSize {
  readonly #fragments = new Map<string, FragmentDefinitionNode>();

  /** @param variables with their defaults */
  constructor(
    private readonly schema: GraphQLSchema,
    document: DocumentNode,
    private readonly variables: Record<string, unknown>,
  ) {
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) {
        this.#fragments.set(definition.name.value, definition);
      }
    }
  }

  of({ operation, selectionSet }: OperationDefinitionNode): Presented {
    return this.#ofSelected(
      [{ type: this.schema.getRootType(operation) ?? undefined, selectionSet }],
      undefined,
    );
  }

  #ofSelected(selected: readonly Selected[], around: Around): Presented {
    const sum = { profiles: 0, characters: 0 };
    for (const [name, responseField] of this.#fieldsOf(selected)) {
      const { profiles, characters } = this.#ofField(responseField, around);
      sum.profiles += profiles;
      sum.characters += characters + name.length + PUNCTUATION;
    }
    return sum;
  }

  #ofField({ field, node, selected }: ResponseField, around: Around): Presented {
    const type = getNamedType(field.type);
    const inside = this.#ofSelected(selected, { field, node });
    const count = itemsOf(field);
    const items = count === undefined ? 1 : this.#valueOf(count, { field, node }, around);
    return {
      profiles: items * (inside.profiles + Number(type.name === PROFILE)),
      characters: items * (inside.characters + charactersOf(field, type)),
    };
  }

  /** How many items the caller asks for, by an argument of the field or of the one around it. */
  #valueOf(count: ItemCount, ...places: Around[]): number {
    if (typeof count === 'number') {
      return count;
    }
    for (const place of places) {
      const argument = place?.field.args.find(({ name }) => name === count.argument);
      if (place && argument) {
        const sent = place.node.arguments?.find(({ name }) => name.value === count.argument)?.value;
        const value = sent && valueFromASTUntyped(sent, this.variables);
        return itemsAskedFor(value ?? argument.defaultValue, count.most);
      }
    }
    return count.most;
  }

  /** The fields of the selection sets by their names in the answer, with those of fragments. */
  #fieldsOf(selected: readonly Selected[]): Map<string, ResponseField> {
    const fields = new Map<string, ResponseField>();
    const spread = new Set<string>();
    const collect = ({ type, selectionSet }: Selected): void => {
      for (const selection of selectionSet.selections) {
        if (selection.kind === Kind.FIELD) {
          add(fields, type, selection);
          continue;
        }
        const fragment =
          selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#fragment(selection.name.value, spread);
        if (fragment) {
          const { typeCondition } = fragment;
          const inner = typeCondition ? this.schema.getType(typeCondition.name.value) : type;
          collect({ type: inner, selectionSet: fragment.selectionSet });
        }
      }
    };
    selected.forEach(collect);
    return fields;
  }

  /** A fragment, once for each place: spreading it again adds nothing. */
  #fragment(name: string, spread: Set<string>): FragmentDefinitionNode | undefined {
    const isNew = !spread.has(name);
    spread.add(name);
    return isNew ? this.#fragments.get(name) : undefined;
  }
}

const fieldOf = (type: GraphQLNamedType | undefined, name: string): Field | undefined =>
  isObjectType(type) ? type.getFields()[name] : undefined;

/** `__schema` and `__type` are in no type. Their answer does not grow with what is stored. */
function add(fields: Map<string, ResponseField>, type: GraphQLNamedType | undefined, node: FieldNode): void {
  const name = (node.alias ?? node.name).value;
  const field = node.name.value === TYPE_NAME.name ? TYPE_NAME : fieldOf(type, node.name.value);
  if (field) {
    const responseField = fields.get(name) ?? { field, node, selected: [] };
    fields.set(name, responseField);
    if (node.selectionSet) {
      responseField.selected.push({ type: getNamedType(field.type), selectionSet: node.selectionSet });
    }
  }
}

/** A list of references, or a number of items. A value that is neither is refused later. */
function itemsAskedFor(value: unknown, most: number): number {
  // The types of variables are not checked yet, so the value may be anything.
  const items = Array.isArray(value) ? value.length : value;
  return typeof items === 'number' && items >= 0 && items <= most ? items : most;
}

/** How many items a list has at most: a number, or the value of an argument of its field or of the field around it. */
type ItemCount = number | { argument: string; most: number };

/** What a field may answer, as it is kept in the extensions of the schema. */
interface Size {
  items?: ItemCount;
  characters?: number;
}

/** Says how many items a list has. Every list of the schema needs it ({@link limitLists}). */
export const Items = (items: ItemCount): PropertyDecorator & MethodDecorator => Extensions(sizeOf({ items }));

/** Says how long a value may be, where it is not as long as others of its type. */
export const Characters = (characters: number): PropertyDecorator & MethodDecorator =>
  Extensions(sizeOf({ characters }));

/** The extensions of a field that say its size. */
export const sizeOf = (size: Size): Record<string, unknown> => ({ ...size });

/** @returns undefined for a field that is no list. A list that does not say how many items it has is taken for a long one */
function itemsOf({ type, extensions }: Field): ItemCount | undefined {
  const { items } = extensions as Size;
  return isListType(getNullableType(type)) ? (items ?? LONG_LIST) : undefined;
}

const LONG_LIST = 1_000;
/** A line of text, such as a name. */
const LINE_CHARACTERS = 255;
/** An id, a time, a number, a word of an enum. */
const SHORT_CHARACTERS = 40;

/** How long one value of a field may be, without its name. */
function charactersOf({ name, extensions }: Field, type: GraphQLNamedType): number {
  const { characters } = extensions as Size;
  const isLine = type === GraphQLString && name !== TYPE_NAME.name;
  return characters ?? (isLine ? LINE_CHARACTERS : SHORT_CHARACTERS);
}
