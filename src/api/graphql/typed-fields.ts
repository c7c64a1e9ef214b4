import {
  coerceInputValue,
  type GraphQLArgument,
  GraphQLBoolean,
  GraphQLID,
  type GraphQLInputField,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLString,
  getNullableType,
  isEnumType,
} from 'graphql';
import { ReceivedFile } from '../../documents/quarantine.ts';
import { type Text, texts } from '../inputs/texts.ts';
import type { SentInput } from './sent-inputs.ts';

type Values = Record<string, unknown>;

export interface TypedFields {
  /** True if everything that was sent fits the schema. */
  fits: boolean;
  /** The values that fit, as a resolver would get them, and the others as they were sent. */
  values: Values;
  /** A text for each field whose value does not fit its type, and for each field that the type does not have. */
  typeErrors: Record<string, string>;
}

/** No other name is repeated in an answer: a caller may have sent anything in the place of a name. */
const NAME = /^\w{1,64}$/;

/** Tries the type of each field on what was sent for it. */
export function coerceFields({ typeName, types, value }: SentInput): TypedFields {
  const sent = isObject(value) ? value : {};
  const values: Values = {};
  // A map, because a field may be called `__proto__`.
  const typeErrors = new Map<string, string>();
  for (const [name, field] of types) {
    const one = Object.hasOwn(sent, name) ? sent[name] : undefined;
    const { fits, coerced } = coerce(one, field);
    values[name] = fits ? coerced : one;
    if (!fits) {
      typeErrors.set(name, textAbout(name, field.type, one));
    }
  }
  const unknown = Object.keys(sent).filter((name) => !types.has(name));
  for (const name of unknown.filter((name) => NAME.test(name))) {
    // The words of graphql-js, without its suggestions.
    typeErrors.set(name, `Field "${name}" is not defined by type "${typeName}".`);
  }
  const fits = isObject(value) && unknown.length === 0 && typeErrors.size === 0;
  return { fits, values, typeErrors: Object.fromEntries(typeErrors) };
}

/** True for an object of JSON or of a document. An upload is none, nor is a list. */
const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ReceivedFile);

function coerce(value: unknown, { type, defaultValue }: GraphQLArgument | GraphQLInputField) {
  if (value === undefined && defaultValue !== undefined) {
    return { fits: true, coerced: defaultValue };
  }
  let fits = true;
  const refuse = () => {
    fits = false;
  };
  // No text of graphql-js is shown, so it need not look for similar names.
  const coerced: unknown = coerceInputValue(value, type, refuse, true);
  return { fits, coerced };
}

/** The text about a value that passes our rules, but not its type: REST takes more spellings of some values. */
function textAbout(property: string, type: GraphQLInputType, value: unknown): string {
  const words = value === undefined || value === null ? texts.required : wordsOf(getNullableType(type));
  return words({ property, object: {} });
}

function wordsOf(type: GraphQLInputType): Text {
  if (isEnumType(type)) {
    return texts.selected;
  }
  return WORDS.get(type) ?? texts.format;
}

const WORDS: ReadonlyMap<GraphQLInputType, Text> = new Map<GraphQLInputType, Text>([
  [GraphQLBoolean, texts.flag],
  [GraphQLID, texts.string],
  [GraphQLInt, texts.integer],
  [GraphQLString, texts.string],
]);
