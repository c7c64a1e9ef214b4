/*
 * What errors say to programs beside their texts.
 */

/**
 * The rules that a field can break, for callers that make their own texts. Callers compare the names: later versions may add
 * rules, but rename none.
 */
export const RULES = {
  required: 'The field must be given.',
  string: 'It must be a text.',
  max_length: 'It is longer than `limit` characters.',
  min_length: 'It has fewer than `limit` characters.',
  max_bytes: 'It has more than `limit` bytes of UTF-8.',
  format: 'It is not of the form that the field asks for.',
  email: 'It is no e-mail address.',
  taken: 'Another account has it.',
  confirmed: 'The two passwords are not the same.',
  common: 'Many people use this password, so attackers try it first.',
  personal: 'The password contains the name or the e-mail address.',
  date: 'It is no day of the calendar.',
  too_early: 'It is before the day `limit`.',
  future: 'It is after today.',
  file: 'It must be a file.',
  max_size: 'The file is larger than `limit` KiB.',
  file_type: 'The file is none of the types in `limit`.',
  wrong: 'The password, code or passkey is not the right one.',
  expired: 'The link, code or challenge is unknown, used or expired, or what was read has changed since.',
  same: 'It is what the account has already.',
  state: 'It is not possible in the present state of the account.',
  prohibited: 'The field cannot be given here.',
} as const;

export type Rule = keyof typeof RULES;

/** The limit that was broken: a number of what the rule counts, a day as `YYYY-MM-DD`, or the values that are allowed. */
export type RuleLimit = number | string | readonly string[];

/** A rule that a field breaks. */
export interface BrokenRule {
  rule: Rule;
  limit?: RuleLimit | undefined;
  /** For people, in Laravel's wording. */
  text: string;
}

/** The broken rules of a field that breaks one. */
export const broken = (rule: Rule, text: string): BrokenRule[] => [{ rule, text }];

/** Why a caller may not do something. A missing level is a 401 (RFC 9470). */
export const FORBIDDEN_REASONS = {
  role: 'The role of the account, or an account of somebody else.',
  verification: 'The doctor is not verified.',
  email: 'The e-mail address is not proven.',
  ability: 'The access token lacks an ability.',
  policy: 'The operators of the gateway ask for a second factor.',
  signature: 'The URL of the document is not signed, or no longer valid.',
  service: 'The service may not read these events.',
  origin: 'A page of another site has sent the request.',
  registration: 'Nobody may register in this role, or only who is invited.',
} as const;

export type ForbiddenReason = keyof typeof FORBIDDEN_REASONS;
