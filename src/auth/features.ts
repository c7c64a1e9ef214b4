import type { InvitedRole } from '../stores/roles.ts';
import { NoPasskeysError, NoSecondFactorError, NotFoundError, type ServiceError } from '../system/errors.ts';

/** What a gateway may do without, by its settings. */
export type Feature = 'second factor' | 'authenticator apps' | 'passkeys' | 'e-mail links' | 'invitations';

const ERRORS: Readonly<Record<Feature, () => ServiceError>> = {
  'second factor': () => new NoSecondFactorError(),
  'authenticator apps': () => new NoSecondFactorError(),
  passkeys: () => new NoPasskeysError(),
  invitations: () => new NotFoundError('Nobody is invited here: PEOPLE_URL or SMTP_URL is not set.'),
  'e-mail links': () =>
    new NotFoundError('E-mail addresses are not verified or changed by links here. Ask the operator.'),
};

/** The features of this gateway. */
export class Features {
  constructor(private readonly on: Readonly<Record<Feature, boolean>>) {}

  has(feature: Feature): boolean {
    return this.on[feature];
  }

  /** @throws the 404 of a feature that is off, before any token is looked at; undefined is always there */
  demand(feature: Feature | undefined): void {
    if (feature && !this.on[feature]) {
      throw ERRORS[feature]();
    }
  }
}

/** Who may register in a role: everybody, who is invited, or nobody. */
export const REGISTRATION_MODES = ['open', 'invited', 'off'] as const;
export type RegistrationModes = Readonly<Record<InvitedRole, (typeof REGISTRATION_MODES)[number]>>;
