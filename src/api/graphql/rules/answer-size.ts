import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  TypeNameMetaFieldDef as TYPE_NAME,
  valueFromASTUntyped,
} from 'graphql';
import { charactersOf, type ItemCount, itemsOf } from './sizes.ts';

/** The most that an operation may present. */
export interface Presented {
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
interface Answered {
  field: Field;
  node: FieldNode;
  selected: Selected[];
}

/** A field and its place in the document, for the arguments. */
type Around = Pick<Answered, 'field' | 'node'> | undefined;

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
    for (const [name, answered] of this.#fieldsOf(selected)) {
      const { profiles, characters } = this.#ofField(answered, around);
      sum.profiles += profiles;
      sum.characters += characters + name.length + PUNCTUATION;
    }
    return sum;
  }

  #ofField({ field, node, selected }: Answered, around: Around): Presented {
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
  #fieldsOf(selected: readonly Selected[]): Map<string, Answered> {
    const fields = new Map<string, Answered>();
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
function add(fields: Map<string, Answered>, type: GraphQLNamedType | undefined, node: FieldNode): void {
  const name = (node.alias ?? node.name).value;
  const field = node.name.value === TYPE_NAME.name ? TYPE_NAME : fieldOf(type, node.name.value);
  if (field) {
    const answered = fields.get(name) ?? { field, node, selected: [] };
    fields.set(name, answered);
    if (node.selectionSet) {
      answered.selected.push({ type: getNamedType(field.type), selectionSet: node.selectionSet });
    }
  }
}

/** A list of references, or a number of items. A value that is neither is refused later. */
function itemsAskedFor(value: unknown, most: number): number {
  // The types of variables are not checked yet, so the value may be anything.
  const items = Array.isArray(value) ? value.length : value;
  return typeof items === 'number' && items >= 0 && items <= most ? items : most;
}
