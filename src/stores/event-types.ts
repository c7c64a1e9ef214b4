/** What services behind the gateway can hear of, each with a sentence for its reader. Later versions may add more. */
export const EVENT_TYPES = {
  'account.registered':
    'A doctor, a patient or a reviewer has an account. A doctor has submitted documents with it.',
  'account.updated':
    'The name, the telephone, the date of birth or the profile has changed, or a change waits for a reviewer.',
  'account.email_changed': 'The account has another e-mail address.',
  'account.email_verified': 'The e-mail address was verified by a mailed link.',
  'account.disabled': 'Nobody can log in to the account.',
  'account.enabled': 'Its owner can log in again.',
  'account.closed': 'The account is closed, and will be erased unless it is enabled before.',
  'account.erased':
    'All data of the account were erased. Erase what you have of it, too (GDPR articles 17 and 19).',
  'doctor.submitted':
    'A rejected doctor has submitted documents again, or a verified one new ones to renew the verification.',
  'doctor.verified': 'A reviewer has approved the doctor, or the verification has another end.',
  'doctor.rejected': 'A reviewer has rejected the documents of the doctor.',
  'doctor.suspended': 'A reviewer has suspended the doctor.',
  'doctor.expiring': 'The verification of the doctor ends within 60 days (`verified_until`).',
  'doctor.expired': 'The verification of the doctor has ended.',
  'sessions.revoked': 'Access tokens were revoked: the one in `token`, or more.',
  'factor.added': 'The account has another second factor. Its other access tokens may have ended.',
  'factor.removed': 'A second factor of the account was removed.',
} as const;
export type EventType = keyof typeof EVENT_TYPES;
