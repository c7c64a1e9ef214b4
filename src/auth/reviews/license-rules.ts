import type { DoctorProfile } from '../../stores/doctors.ts';

/** How the number of a license is written in one country or register (LICENSE_RULES_FILE). It only helps reviewers to look. */
export interface LicenseRule {
  name: string;
  /** Matches a whole number in linear time. */
  pattern: { matches(number: string): boolean };
  check?: CheckDigit | undefined;
  /** Where the rule is written down. */
  source?: string | undefined;
  /** An https address of a register, with `{number}` in its path or query. */
  lookup?: string | undefined;
}

/**
 * Luhn's sum over a prefix and the digits of the number; or the digit after as many others as there are weights:
 * (10 − sum mod 10) mod 10 of the weighted ones. What follows that is free.
 */
export type CheckDigit = { luhn: string } | { weights: readonly number[] };

/** The rule that a number fits, and what it says about it; all null if the number fits none. */
export interface LicenseFit {
  rule: string | null;
  source: string | null;
  lookupUrl: string | null;
}

/** Null without rules, and the second one without a proposal. */
export interface LicenseFits {
  licenseFit: LicenseFit | null;
  proposedLicenseFit: LicenseFit | null;
}

/** Which rules the license number of a doctor fits, and the proposed one. */
export const licenseFitsOf = (
  { licenseNumber, proposal }: DoctorProfile,
  rules: readonly LicenseRule[],
): LicenseFits => ({
  licenseFit: licenseFitOf(licenseNumber, rules),
  proposedLicenseFit:
    proposal?.licenseNumber === undefined ? null : licenseFitOf(proposal.licenseNumber, rules),
});

/** Longer than the number of any register, and short enough to be matched with every rule. */
const MAX_CHARACTERS = 32;

/**
 * The first rule that a number fits. Blanks do not count.
 * @returns null without rules
 */
function licenseFitOf(licenseNumber: string, rules: readonly LicenseRule[]): LicenseFit | null {
  const number = licenseNumber.replaceAll(/\s/g, '').toWellFormed();
  const fits = ({ pattern, check }: LicenseRule) =>
    number.length <= MAX_CHARACTERS && pattern.matches(number) && (!check || isChecked(number, check));
  const { name = null, source = null, lookup } = rules.find(fits) ?? {};
  // A browser would take "..", encoded or not, for the folder above.
  const isInPath = /[^.]/.test(number);
  const lookupUrl = lookup && isInPath ? lookup.replace('{number}', () => encodeURIComponent(number)) : null;
  return rules.length === 0 ? null : { rule: name, source, lookupUrl };
}

function isChecked(number: string, check: CheckDigit): boolean {
  const digits = [...number.replaceAll(/\D/g, '')].map(Number);
  if ('luhn' in check) {
    const doubled = [...[...check.luhn].map(Number), ...digits]
      .reverse()
      .map((digit, at) => digit * ((at % 2) + 1));
    return sumOf(doubled.map((digit) => (digit > 9 ? digit - 9 : digit))) % 10 === 0;
  }
  const { weights } = check;
  return (
    digits[weights.length] ===
    (10 - (sumOf(weights.map((weight, at) => weight * (digits[at] ?? 0))) % 10)) % 10
  );
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);
