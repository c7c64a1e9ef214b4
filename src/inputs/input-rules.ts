import { ValidateBy, type ValidationArguments } from 'class-validator';
import type { DocumentCheck } from '../documents/document-types.ts';
import type { Text } from './texts.ts';

/** The limits that are settings; all others stand in the input classes. */
export interface InputRules {
  passwordMinCharacters: number;
  documentCheck: DocumentCheck;
  maxFileBytes: number;
}

/** The rules that an input is being validated by. class-validator hands its decorators the input and nothing else. */
const rulesByInput = new WeakMap<object, InputRules>();

/** Makes the rules known to the decorators of an input. */
export const attachRules = (input: object, rules: InputRules): void => void rulesByInput.set(input, rules);

type Check = (value: unknown, rules: InputRules, input: object) => boolean | Promise<boolean>;

/**
 * A property decorator for a rule of our own.
 * @param name what the rule is called; one property has it once
 * @param check tells whether a value passes
 * @param text the words when it does not
 * @param constraints the parameters of the rule, for tools that describe it
 */
export const rule = (
  name: string,
  check: Check,
  text: (rules: InputRules) => Text,
  constraints: unknown[] = [],
): PropertyDecorator =>
  ValidateBy({
    name,
    constraints,
    validator: {
      validate: (value, args) => check(value, rulesOf(args), args?.object ?? {}),
      defaultMessage: (args) => (args ? text(rulesOf(args))(args) : name),
    },
  });

function rulesOf(args: ValidationArguments | undefined): InputRules {
  const rules = args && rulesByInput.get(args.object);
  if (!rules) throw new Error('an input was validated without its rules');
  return rules;
}

/** Several property decorators as one. */
export const all =
  (...decorators: PropertyDecorator[]): PropertyDecorator =>
  (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
