import type { ValidationError as Problem } from 'class-validator';
import { trim } from '../../auth/text-rules.ts';
import { getMetadataStorage, Validator } from '../../patches/class-validator.ts';
import type { BrokenRule } from '../../system/error-details.ts';
import { type FieldErrors, ValidationError } from '../../system/errors.ts';
import { dayOf } from './date.scalar.ts';
import { attachRules, type InputRules, type RuleContext } from './field-rules.ts';
import { brokenBy, spellFields } from './texts.ts';

export type InputClass<T extends object> = new () => T;

/** If a field breaks one of these rules, only that problem is reported: the others do not apply to such a value. */
const DECISIVE_RULES = ['isDefined', 'isString', 'maxLength', 'file'];

/** Normalizes and checks the input of both APIs. */
export class InputValidator {
  /** @param rules the limits that are settings, and the clock */
  constructor(private readonly rules: InputRules) {}

  /**
   * Reads an input from the body of a request. Only the fields of the class are read; `role` and `__proto__` are ignored.
   * @param type the input class
   * @param sent any value. A value that is no object has no fields
   * @param nameOf returns the caller's spelling of a field
   * @throws ValidationError with all problems of all fields
   */
  read<T extends object>(type: InputClass<T>, sent: unknown, nameOf: (field: string) => string): Promise<T> {
    const input = new type();
    for (const field of fieldsOf(type)) {
      Reflect.set(input, field, ownProperty(sent, nameOf(field)));
    }
    spellFields(input, nameOf);
    return this.check(input);
  }

  /**
   * Finds all problems of an input that has values of the wrong type.
   * @param type the input class
   * @param sent the values by field of the class
   * @param typeErrors what is wrong with each field that has no such value. It is left out if a rule has something to say
   * @returns by field: those of the class in its order, then the others
   */
  async problemsOf<T extends object>(
    type: InputClass<T>,
    sent: object,
    typeErrors: Record<string, BrokenRule>,
  ): Promise<FieldErrors> {
    const found: FieldErrors = await this.read(type, sent, (field) => field).then(() => ({}), errorsOf);
    const byField = new Map(Object.entries(typeErrors).map(([field, broken]) => [field, [broken]]));
    for (const [field, broken] of Object.entries(found)) {
      byField.set(field, broken);
    }
    const fields = fieldsOf(type).filter((field) => byField.has(field));
    const inOrder = [...new Set([...fields, ...byField.keys()])];
    return Object.fromEntries(inOrder.map((field) => [field, byField.get(field) ?? []]));
  }

  /**
   * Normalizes an input in place and checks it.
   * @param input an instance of an input class
   * @throws ValidationError with all problems of all fields
   */
  async check<T extends object>(input: T): Promise<T> {
    const fields = fieldsOf(input.constructor);
    const none = keepingNull.has(input.constructor) ? null : undefined;
    for (const field of fields) {
      Reflect.set(input, field, normalize(field, Reflect.get(input, field), none));
    }
    attachRules(input, this.rules);
    const problems = await new Validator().validate(input);
    if (problems.length > 0) {
      throw new ValidationError(this.#toFieldErrors(input, problems, fields));
    }
    return input;
  }

  #toFieldErrors(input: object, problems: Problem[], fields: string[]): FieldErrors {
    const inOrder = problems.toSorted((a, b) => fields.indexOf(a.property) - fields.indexOf(b.property));
    return Object.fromEntries(
      inOrder.map(({ property, contexts = {} }) => [
        property,
        shownOf(contexts).map(({ words }) => brokenBy(words(this.rules), { property, object: input })),
      ]),
    );
  }
}

function errorsOf(error: unknown): FieldErrors {
  if (error instanceof ValidationError) {
    return error.fields;
  }
  throw error;
}

const PASSWORDS: ReadonlySet<string> = new Set(['password', 'currentPassword', 'newPassword']);
const DAYS: ReadonlySet<string> = new Set(['dateOfBirth']);
const CONFIRMATIONS: ReadonlySet<string> = new Set(['passwordConfirmation', 'newPasswordConfirmation']);

/** The input classes in which an empty field is not an absent one. */
const keepingNull = new WeakSet<object>();

/** A class decorator for an input that changes only what it has: an empty field stays null. */
export const KeepsNull = (): ClassDecorator => (type) => void keepingNull.add(type);

/**
 * Laravel's TrimStrings and ConvertEmptyStringsToNull. Blanks at the ends of a password are part of it.
 * @param none what takes the place of an empty value
 */
function normalize(field: string, value: unknown, none: null | undefined): unknown {
  if (value === null) {
    return none;
  }
  if (typeof value !== 'string') {
    return value;
  }
  // An empty confirmation was sent, and does not match.
  if (CONFIRMATIONS.has(field)) {
    return value;
  }
  const text = PASSWORDS.has(field) ? value : trim(value);
  return text === '' ? none : DAYS.has(field) ? dayOf(text) : text;
}

function ownProperty(sent: unknown, name: string): unknown {
  const isRecord = typeof sent === 'object' && sent !== null && Object.hasOwn(sent, name);
  return isRecord ? Reflect.get(sent, name) : undefined;
}

/** The decorated fields of an input class in the order of their declaration, those of its base class first. */
export function fieldsOf(type: object['constructor']): string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const inherited = rules.filter((rule) => rule.target !== type);
  const own = rules.filter((rule) => rule.target === type);
  return [...new Set([...inherited, ...own].map((rule) => rule.propertyName))];
}

/** @param contexts by the names of the broken rules, in their order */
function shownOf(contexts: Record<string, RuleContext>): RuleContext[] {
  const decisive = DECISIVE_RULES.map((name) => contexts[name]).find((context) => context !== undefined);
  return decisive ? [decisive] : Object.values(contexts);
}
