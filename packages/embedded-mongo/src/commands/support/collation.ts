import { locationError, mongoError } from '../../base/errors.ts';
import { isDocument } from '../../values/types.ts';

/** Intl's names for MongoDB's strengths. */
const SENSITIVITY: Record<number, 'base' | 'accent' | 'variant'> = { 1: 'base', 2: 'accent', 3: 'variant' };

/**
 * A MongoDB collation as an Intl.Collator; undefined for the simple collation.
 * @throws CommandError NotImplemented (238) for what Intl cannot do
 */
export function collatorOf(collation: unknown): Intl.Collator | undefined {
  if (collation === undefined || collation === null) {
    return undefined;
  }
  if (!isDocument(collation)) {
    throw mongoError('TypeMismatch', "BSON field 'collation' is the wrong type, expected type 'object'");
  }
  if (Object.keys(collation).length === 0) {
    return undefined;
  }
  if (collation.locale === undefined) {
    throw locationError(40414, "BSON field 'collation.locale' is missing but a required field");
  }
  if (typeof collation.locale !== 'string') {
    throw mongoError(
      'TypeMismatch',
      "BSON field 'collation.locale' is the wrong type, expected type 'string'",
    );
  }
  const { locale, strength = 3, caseFirst = 'off', numericOrdering = false, ...rest } = collation;
  const unsupported = hasUnsupported(rest);
  if (locale === 'simple') {
    return undefined;
  }
  const sensitivity = SENSITIVITY[Number(strength)];
  if (!sensitivity || unsupported || locale.includes('@')) {
    throw mongoError(
      'NotImplemented',
      'collation: only locale, strength 1 to 3, caseFirst and numericOrdering are implemented by the embedded engine',
    );
  }
  const tag = locale.replaceAll('_', '-');
  try {
    // Intl takes an unknown locale for the default one. ICU's names have no hyphens.
    if (locale.includes('-') || Intl.Collator.supportedLocalesOf(tag).length === 0) {
      throw new RangeError(`unknown locale: ${locale}`);
    }
    return new Intl.Collator(tag, {
      sensitivity,
      caseFirst: caseFirst === 'off' ? 'false' : caseFirst,
      numeric: numericOrdering === true,
    });
  } catch {
    throw mongoError('BadValue', `Field 'locale' is invalid in: ${JSON.stringify(collation)}`);
  }
}

/** True if one of the options is set that Intl does not have. An unknown option is refused (40415). */
function hasUnsupported(options: Record<string, unknown>): boolean {
  const { caseLevel, alternate, backwards, normalization, maxVariable, version, ...unknown } = options;
  const [first] = Object.keys(unknown);
  if (first) {
    throw locationError(40415, `BSON field 'collation.${first}' is an unknown field.`);
  }
  const isShifted = alternate !== undefined && alternate !== 'non-ignorable';
  return isShifted || Boolean(caseLevel || backwards || normalization || maxVariable || version);
}
