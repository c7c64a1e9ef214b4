import type { ValidationArguments } from 'class-validator';
import { Extensions } from 'type-graphql';
import { isEmailAddress, isNewEmailAddress } from '../../auth/email-address.ts';
import { MAIL_LANGUAGES } from '../../auth/mail-texts/languages.ts';
import {
  PASSWORD_MAX_BYTES,
  type PasswordCheck,
  passwordBytes,
  passwordCharacters,
} from '../../auth/passwords/password-rules.ts';
import {
  isLines,
  isLonger,
  isOneLine,
  isStorable,
  LINE_MAX_CHARACTERS,
  LINES_MAX_CHARACTERS,
  REASON_MAX_CHARACTERS,
} from '../../auth/text-rules.ts';
import {
  ACCEPTED_EXTENSIONS,
  type DocumentCheck,
  isAcceptedDocument,
} from '../../documents/document-types.ts';
import { ReceivedFile } from '../../documents/quarantine.ts';
import { IsDefined, IsOptional, IsString, ValidateBy } from '../../patches/class-validator.ts';
import { isCalendarDate } from '../../system/calendar.ts';
import type { Clock } from '../../system/clock.ts';
import { latestToday } from './date.scalar.ts';
import { texts, type Words } from './texts.ts';

const BYTES_PER_KILOBYTE = 1024;

/** The field must be given. An empty text counts as absent. */
export const Required = (): PropertyDecorator => IsDefined(saying(texts.required));

/** The field may be left out. */
export const Optional = (): PropertyDecorator => IsOptional();

/**
 * A text of limited length that passes one more check. The check never gets a longer text: class-validator applies all
 * rules to a value, and the cost of a check may grow faster than the text.
 */
const checkedText = (
  maxCharacters: number,
  name: string,
  check: (text: string) => boolean,
  words: Words,
): PropertyDecorator =>
  all(
    IsString(saying(texts.string)),
    rule(
      'maxLength',
      (value) => typeof value !== 'string' || !isLonger(value, maxCharacters),
      () => texts.maxCharacters(maxCharacters),
      [maxCharacters],
    ),
    rule(
      name,
      (value) => typeof value !== 'string' || isLonger(value, maxCharacters) || check(value),
      () => words,
    ),
  );

/** One line of text. */
export const Line = (): PropertyDecorator =>
  checkedText(LINE_MAX_CHARACTERS, 'oneLine', isOneLine, texts.format);

/** A text of several lines, with tabs. */
export const Lines = (): PropertyDecorator =>
  checkedText(LINES_MAX_CHARACTERS, 'lines', isLines, texts.format);

/** A text of several lines for a person to read. */
export const ReasonText = (): PropertyDecorator =>
  checkedText(REASON_MAX_CHARACTERS, 'lines', isLines, texts.format);

/** A whole number within limits, both included. */
export const WholeNumber = (min: number, max: number): PropertyDecorator =>
  rule(
    'between',
    (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
    () => texts.between(min, max),
  );

/** An e-mail address. */
export const Email = (): PropertyDecorator =>
  checkedText(LINE_MAX_CHARACTERS, 'email', isEmailAddress, texts.email);

/** The e-mail address of a new account. */
export const NewEmail = (): PropertyDecorator =>
  checkedText(LINE_MAX_CHARACTERS, 'email', isNewEmailAddress, texts.email);

/** A value of any type that only the service can judge. */
export const JudgedLater = (): PropertyDecorator =>
  rule(
    'judgedLater',
    () => true,
    () => texts.format,
  );

/** The password of a login. Every text is allowed. */
export const Secret = (): PropertyDecorator => IsString(saying(texts.string));

/** One of the languages of mails. */
export const Language = (): PropertyDecorator =>
  rule(
    'language',
    (value) => MAIL_LANGUAGES.some((language) => language === value),
    () => texts.oneOf(MAIL_LANGUAGES),
  );

/** A field that is changed elsewhere: Laravel's rule `prohibited`. */
export const Prohibited = (): PropertyDecorator =>
  rule(
    'prohibited',
    () => false,
    () => texts.prohibited,
  );

/** Yes or no, in all spellings of Laravel's rule `boolean`. */
export const Flag = (): PropertyDecorator =>
  rule(
    'flag',
    (value) => [true, false, 1, 0, '1', '0'].some((flag) => flag === value),
    () => texts.flag,
  );

/** {@link NewPassword} in words, with the defaults of the settings. */
export const PASSWORD_RULES =
  'at least 8 characters and at most 72 bytes of UTF-8. Blanks count. It must not be a common password, nor contain the name or the e-mail address.';

/**
 * A new password: long enough, but no longer than bcrypt reads (OWASP ASVS 6.2.1, 6.2.9), and neither common nor made of the
 * person's name or e-mail (6.2.4, 6.2.11).
 * @param confirmation the field that repeats it. If it was sent, it must be the same
 */
export const NewPassword = (confirmation: string): PropertyDecorator =>
  all(
    Secret(),
    rule(
      'storable',
      (value) => typeof value !== 'string' || isStorable(value),
      () => texts.format,
    ),
    rule(
      'minCharacters',
      (value, rules) => typeof value !== 'string' || passwordCharacters(value) >= rules.passwordMinCharacters,
      (rules) => texts.minCharacters(rules.passwordMinCharacters),
    ),
    rule(
      'maxBytes',
      (value) => typeof value !== 'string' || passwordBytes(value) <= PASSWORD_MAX_BYTES,
      () => texts.maxBytes(PASSWORD_MAX_BYTES),
    ),
    rule(
      'confirmed',
      (value, _rules, input) => [undefined, value].includes(Reflect.get(input, confirmation)),
      () => texts.confirmed,
    ),
    rule('common', isUncommon, () => texts.common),
    rule('personal', isNotPersonal, () => texts.personal),
  );

/** Laravel, too, looks for leaked passwords last, and only if nothing else is wrong with the password. */
const isUncommon: RuleCheck = async (value, { passwordMinCharacters, passwordCheck }) =>
  !isPassword(value, passwordMinCharacters) || !(await passwordCheck.isCommon(value));

/** A registration brings the name and e-mail. Where an account changes its password, the service knows them. */
const isNotPersonal: RuleCheck = (value, { passwordMinCharacters, passwordCheck }, input) => {
  const [name, email] = ['name', 'email'].map((field) => Reflect.get(input, field));
  const person = {
    name: typeof name === 'string' ? name : '',
    email: typeof email === 'string' ? email : '',
  };
  return !isPassword(value, passwordMinCharacters) || !passwordCheck.isPersonal(value, person);
};

const isPassword = (value: unknown, minCharacters: number): value is string =>
  typeof value === 'string' &&
  isStorable(value) &&
  passwordCharacters(value) >= minCharacters &&
  passwordBytes(value) <= PASSWORD_MAX_BYTES;

/** Earlier dates are slips. Nobody alive was born before. */
const EARLIEST_BIRTH = '1900-01-01';

/** A date of birth: a day of the calendar that is not in the future. Dates of this form compare like texts. */
export const DateOfBirth = (): PropertyDecorator =>
  all(
    rule('date', isCalendarDate, () => texts.date),
    rule(
      'notTooEarly',
      (value) => !isCalendarDate(value) || value >= EARLIEST_BIRTH,
      () => texts.earliestDate(EARLIEST_BIRTH),
    ),
    rule(
      'notInFuture',
      (value, rules) => !isCalendarDate(value) || value <= latestToday(rules.clock.now()),
      () => texts.beforeOrToday,
    ),
  );

/** A received file of an accepted size and type. */
export const DocumentFile = (): PropertyDecorator =>
  all(
    rule(
      'file',
      (value) => value instanceof ReceivedFile,
      () => texts.file,
    ),
    rule(
      'maxKilobytes',
      (value) => !(value instanceof ReceivedFile && value.isOverLimit),
      (rules) => texts.maxKilobytes(Math.floor(rules.maxFileBytes / BYTES_PER_KILOBYTE)),
    ),
    rule(
      'fileType',
      (value, rules) => !(value instanceof ReceivedFile) || isAcceptedDocument(value, rules.documentCheck),
      () => texts.fileType(ACCEPTED_EXTENSIONS),
    ),
  );

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
type RuleCheck = (value: unknown, rules: InputRules, input: object) => boolean | Promise<boolean>;

/**
 * A property decorator for a rule that class-validator does not have.
 * @param name of the rule. A property has a rule of this name only once
 * @param check returns true if the value passes
 * @param words what is wrong if it does not
 * @param constraints the parameters of the rule, for tools that describe it
 */
const rule = (
  name: string,
  check: RuleCheck,
  words: (rules: InputRules) => Words,
  constraints: unknown[] = [],
): PropertyDecorator =>
  ValidateBy(
    {
      name,
      constraints,
      validator: {
        validate: (value, args) => check(value, rulesOf(args), args?.object ?? {}),
        // Without a text, class-validator leaves the context out.
        defaultMessage: () => name,
      },
    },
    { context: { words } satisfies RuleContext },
  );

/** What class-validator returns with a broken rule, in place of a text of its own. */
export interface RuleContext {
  words(rules: InputRules): Words;
}

/** The options of a rule of class-validator. */
const saying = (words: Words) => ({ context: { words: () => words } satisfies RuleContext });

function rulesOf(args: ValidationArguments | undefined): InputRules {
  const rules = args && rulesByInput.get(args.object);
  if (!rules) {
    throw new Error('an input was validated without its rules');
  }
  return rules;
}

/**
 * What `npm run schema` puts into the example variables of an operation: the value of a field, or with a class those of its
 * fields. GraphiQL fills in names such as `{{unique}}` (pages/graphiql/examples.ts).
 */
export const Example = (example: unknown): PropertyDecorator & ClassDecorator => Extensions({ example });

/** Several property decorators as one. */
export const all =
  (...decorators: PropertyDecorator[]): PropertyDecorator =>
  (target, property) => {
    for (const decorate of decorators) {
      decorate(target, property);
    }
  };
