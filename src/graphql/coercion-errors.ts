import { type FieldErrors, ValidationError } from '../errors.ts';
import { type Text, texts } from '../inputs/texts.ts';

/*
 * graphql-js refuses a variable of the wrong type before any validation of ours, with a text that quotes the value:
 *   Variable "$input" got invalid value { email: "a@b.c", password: ["hunter2"] } at "input"; Expected …
 * The value may be a password, so the text is rebuilt from the parts that come from the schema.
 */
const COERCION = /^Variable "\$(\w+)" (?:of .*|got invalid value)/s;
const PLACE = /at "(\w+(?:\.\w+)*)"; [^;]*$/;
const MISSING_FIELD = /Field "(\w+)" of required type "[\w![\]]+" was not provided\.$/;
const NULL_VALUE = /Expected non-nullable type "[\w![\]]+" not to be null\.$/;
const UNKNOWN_FIELD = /Field "(\w+)" is not defined by type "(\w+)"\./;
const NOT_A_FILE = /Upload must be a file of a multipart request\.$/;

export interface CoercionProblem {
  message: string;
  errors?: FieldErrors | undefined;
}

/**
 * Reads what graphql-js says of a variable that it cannot coerce.
 * @returns the same without the value, with texts by field where a field is to blame; undefined for other messages
 */
export function readCoercionProblem(message: string): CoercionProblem | undefined {
  const variable = COERCION.exec(message)?.[1];
  if (variable === undefined) return undefined;
  const unknownField = UNKNOWN_FIELD.exec(message);
  if (unknownField)
    return { message: `Field "${unknownField[1]}" is not defined by type "${unknownField[2]}".` };
  const errors = readFieldErrors(message);
  return errors
    ? { message: new ValidationError(errors).message, errors }
    : { message: `Variable "$${variable}" is missing or of the wrong type.` };
}

function readFieldErrors(message: string): FieldErrors | undefined {
  const blame = (field: string, words: Text) => ({ [field]: [words({ property: field })] });
  const missing = MISSING_FIELD.exec(message)?.[1];
  if (missing) return blame(missing, texts.required);
  const field = PLACE.exec(message)?.[1]?.split('.')[1];
  if (!field) return undefined;
  if (NULL_VALUE.test(message)) return blame(field, texts.required);
  return blame(field, NOT_A_FILE.test(message) ? texts.file : texts.string);
}

/**
 * A request error's text without the literals that it quotes: a document may carry a password as well as a variable.
 * Names in it (types, fields) are graphql-js's and stay.
 * Every pattern begins where the message does, so that a long one is read once.
 */
export const withoutValues = (message: string): string =>
  message
    .replace(/^((?:Enum "\w+"|\w+) cannot represent [^:]{0,100}): [\s\S]*$/, '$1.')
    .replace(/^(Expected value of type "[^"]{0,100}"), found [\s\S]*$/, '$1.')
    .replace(/^(Syntax Error: Unexpected \w+) "[\s\S]*$/, '$1.')
    .replace(/^(Syntax Error: .{0,100}?)(?:, found| Invalid character:|: ")[\s\S]*$/, '$1.');
