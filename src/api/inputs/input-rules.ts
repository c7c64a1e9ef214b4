import type { ValidationArguments } from 'class-validator';
import type { PasswordCheck } from '../../auth/passwords/password-rules.ts';
import type { DocumentCheck } from '../../documents/document-types.ts';
import { ValidateBy } from '../../system/class-validator.ts';
import type { Clock } from '../../system/clock.ts';
import type { Text } from './texts.ts';

/** What the rules need from outside: settings and the time. All others are in the input classes. */
export interface InputRules {
  passwordMinCharacters: number;
  passwordCheck: PasswordCheck;
  documentCheck: DocumentCheck;
  maxFileBytes: number;
  clock: Pick<Clock, 'now'>;
}

/** The rules for each input under validation. class-validator passes only the input to its decorators. */
const rulesByInput = new WeakMap<object, InputRules>();

/** Sets the rules that apply to an input, for its decorators. */
export const attachRules = (input: object, rules: InputRules): void => void rulesByInput.set(input, rules);

/** True if a value passes. */
export type Check = (value: unknown, rules: InputRules, input: object) => boolean | Promise<boolean>;

/**
 * A property decorator for a rule of our own.
 * @param name of the rule. A property has a rule of this name only once
 * @param check returns true if the value passes
 * @param text the message if it does not
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
  if (!rules) {
    throw new Error('an input was validated without its rules');
  }
  return rules;
}

/** Several property decorators as one. */
export const all =
  (...decorators: PropertyDecorator[]): PropertyDecorator =>
  (target, property) => {
    for (const decorate of decorators) {
      decorate(target, property);
    }
  };
