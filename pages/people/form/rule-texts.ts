import type { AuthError, BrokenRule } from '@auth-gateway/client';
import { dayText, sizeText, type Texts } from '../language/language.ts';

/** What is wrong with a field: the rule, and the gateway's text for one that this page does not know. */
export interface FieldProblem {
  broken?: BrokenRule | undefined;
  text: string;
}

export type FieldProblems = Readonly<Record<string, readonly FieldProblem[]>>;

/** The broken rules of an error, by field. A page keeps them, not their texts, which follow the language. */
export function problemsIn(error: AuthError<string>): FieldProblems {
  if (error.code !== 'BAD_USER_INPUT') {
    return {};
  }
  const { fields, rules } = error;
  return Object.fromEntries(
    Object.entries(fields).map(([field, texts = []]) => [
      field,
      texts.map((text, at) => ({ text, broken: rules[field]?.[at] })),
    ]),
  );
}

/** What this page says about a field that breaks a rule. */
export function ruleText(texts: Texts, field: string, { broken, text }: FieldProblem): string {
  // A newer gateway may have other rules.
  return broken && Object.hasOwn(texts.rules, broken.rule)
    ? texts.rules[broken.rule]({ field, limit: limitText(broken) })
    : text;
}

function limitText({ rule, limit = '' }: BrokenRule): string {
  if (typeof limit === 'object') {
    return limit.join(', ');
  }
  if (rule === 'max_size') {
    return sizeText(Number(limit) * 1_024);
  }
  return rule === 'too_early' ? dayText(String(limit)) : String(limit);
}
