import { mongoError, notImplemented } from '../../base/errors.ts';
import { checkTypes, documentField, NUMBER } from './fields.ts';

/** Intl's names for MongoDB's strengths. */
const SENSITIVITY: Record<number, 'base' | 'accent' | 'variant'> = { 1: 'base', 2: 'accent', 3: 'variant' };

const TYPES = {
  ...{ strength: NUMBER, caseLevel: ['bool'], caseFirst: ['string'], numericOrdering: ['bool'] },
  ...{ alternate: ['string'], maxVariable: ['string'], normalization: ['bool'], backwards: ['bool'] },
};

/** The options whose default is not false. */
const DEFAULTS: Record<string, unknown> = { caseFirst: 'off', alternate: 'non-ignorable' };

/**
 * A MongoDB collation as an Intl.Collator; undefined for the simple collation.
 * @throws CommandError NotImplemented (238) for other options than locale and strength
 */
export function collatorOf(collation: unknown): Intl.Collator | undefined {
  const given = documentField({ collation }, 'collation');
  if (Object.keys(given).length === 0) {
    return undefined;
  }
  checkTypes(given, 'collation', { locale: ['string'] }, TYPES);
  const { locale, strength = 3, ...rest } = given;
  if (locale === 'simple') {
    return undefined;
  }
  const sensitivity = SENSITIVITY[Number(strength)];
  const other = Object.keys(rest).find((name) => rest[name] !== (DEFAULTS[name] ?? false));
  if (!sensitivity || other || locale.includes('@')) {
    const what = `a collation with ${other ?? `locale ${locale} and strength ${strength}`}`;
    throw notImplemented(what);
  }
  try {
    const tag = locale.replaceAll('_', '-');
    // Intl takes an unknown locale for the default one. ICU's names have no hyphens.
    if (!locale.includes('-') && Intl.Collator.supportedLocalesOf(tag).length > 0) {
      return new Intl.Collator(tag, { sensitivity });
    }
  } catch {
    // The locale has not even the form of one.
  }
  throw mongoError('BadValue', `Field 'locale' is invalid in: ${JSON.stringify(given)}`);
}
