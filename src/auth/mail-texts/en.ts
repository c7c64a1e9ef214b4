import type { MessageLanguage } from '../../mail/message.ts';

/**
 * The texts of all mails in English. Every other language has the same keys with the same placeholders.
 *
 * A mail begins with `told`, or with `byOperator` if the operator of the service has caused it. Everything else stands below a line.
 * `{host}` is the host of the application; `{on}` is the text of `on`, or nothing if the time is unknown.
 */
export const en = {
  /** The `lang` and `dir` of the HTML. */
  lang: 'en',
  dir: 'ltr' as MessageLanguage['dir'],
  /** The locale whose forms of dates and times the mails use (BCP 47). */
  dates: 'en-GB',
  on: ' on {date} at {time}',
  /** The end of each mail, of what the clinic says about itself. */
  brand: { contact: 'Contact', imprint: 'Imprint', privacy: 'Privacy' },
  /** The link to the application, in mails that have no other. */
  login: 'Log in',
  /** What to do if the mail is unexpected: whether the login page mails a link to a new password, and whether an operator is the cause. */
  unexpected: {
    reset:
      'If it was not you, ask for a new password on the login page at once, and ask the operator of the service for help.',
    operator: 'If it was not you, ask the operator of the service for help at once.',
    byOperator: 'If you did not ask for this, tell the operator of the service at once.',
    questions: 'If you have questions, ask the operator of the service.',
  },
  /** The end of each mail to an address that nobody has confirmed, by what its owner can do. */
  stranger: {
    reset:
      'If this account is not yours, somebody has used your e-mail address: ask for a new password with it on the login page, which ends the access of everybody else, and close the account.',
    /** In the mail that has a link to a new password. */
    link: 'If this account is not yours, somebody has used your e-mail address: choose a new password by the link above, which ends the access of everybody else, and close the account.',
    operator:
      'If this account is not yours, somebody has used your e-mail address: ask the operator of the service to remove it.',
    inactive: 'If this account is not yours, you need not do anything: nobody can log in to it.',
    /** If the account has another address by now. */
    former: 'If this account is not yours, you need not do anything: it no longer has your e-mail address.',
    /** If no account has it yet. */
    asked: 'If it was not you, you need not do anything: without the link, no account gets your address.',
  },
  'password reset': {
    subject: 'Choose a new password',
    told: 'Somebody has asked for a new password for your account at {host}. If it was you, choose one by this link, which works once, for {minutes} minutes.',
    byOperator:
      'The operator of {host} has sent you this link to choose a new password for your account. It works once, for {minutes} minutes.',
    /** If the account is closed. */
    opens: 'The account is closed. A new password opens it again.',
    unexpected: 'If it was not you, you need not do anything: your password stays as it is.',
    link: 'Choose a new password',
  },
  'e-mail proof': {
    subject: 'Confirm your e-mail address',
    told: 'There is an account with this e-mail address at {host}. If it is yours, confirm the address by this link, which works once, for {hours} hours.',
    link: 'Confirm the e-mail address',
  },
  /** To the new address. */
  'e-mail change': {
    subject: 'Confirm your new e-mail address',
    told: 'Somebody wants to use this e-mail address for an account at {host}. If it was you, confirm it by this link, which works once, for {hours} hours.',
    byOperator:
      'The operator of {host} wants to use this e-mail address for your account. If that is right, confirm it by this link, which works once, for {hours} hours.',
  },
  /** To the present address. */
  'e-mail change requested': {
    subject: 'A new e-mail address for your account',
    told: 'Somebody who is logged in to your account at {host} has asked for another e-mail address{on}. The account gets it when the link is used that was mailed there.',
    byOperator:
      'The operator of {host} has asked for another e-mail address for your account{on}, and has ended all sessions. The account gets the address when the link is used that was mailed there.',
    unexpected: 'If it was not you, choose a new password at once: that stops the change.',
  },
  /** To the owner of an account whose address somebody has asked for. */
  'e-mail in use': {
    subject: 'You have an account already',
    told: 'Somebody wanted to use this e-mail address for another account at {host}. You have an account with it already, so nothing was changed.',
    more: 'If it was you, log in with this address.',
    forgotten: 'Ask for a new password on the login page if you have forgotten yours.',
  },
  'password changed': {
    subject: 'Your password was changed',
    told: 'The password of your account at {host} was changed{on}.',
    /** If there are any: a new password ends none of them. */
    more: 'Passkeys with which one can still log in to it: {passkeys}. Look whether all of them are yours, and remove the others.',
  },
  'e-mail changed': {
    subject: 'Your e-mail address was changed',
    /** To the former address. */
    told: 'The e-mail address of your account at {host} was changed{on}.',
    byOperator: 'The operator of {host} has changed the e-mail address of your account{on}.',
    former: 'You can no longer log in with this one.',
    /** To the new address, which an operator has entered. */
    present: 'The operator of {host} has given your account this e-mail address{on}.',
    more: 'Log in with it from now on.',
  },
  /** `named` or `unknown` takes the place of `{device}`; the names are those of products. */
  'new device': {
    subject: 'A login from another device',
    told: 'Somebody has logged in to your account at {host}{on} with a device that the account did not know: {device}.',
    named: '{browser} on {system}',
    unknown: 'an unknown program',
  },
  'second factor added': {
    subject: 'Two-factor authentication is on',
    told: 'An authenticator app was added to your account at {host}{on}. A login asks for its code from now on, and all other sessions have ended.',
    more: 'Keep the recovery codes: each lets you in once if you lose the app.',
  },
  'second factor replaced': {
    subject: 'Your authenticator app was replaced',
    told: 'The authenticator app of your account at {host} was replaced{on}. The former app and the former recovery codes do not work any more, and all other sessions have ended.',
  },
  'second factor removed': {
    subject: 'Two-factor authentication is off',
    told: 'The authenticator app and the recovery codes of your account at {host} were removed{on}.',
    /** If it has no passkey. */
    more: 'The password alone is enough for a login now.',
  },
  'second factor reset': {
    subject: 'Two-factor authentication was removed',
    told: 'The operator of {host} has removed the password and all second factors of your account{on}, and all sessions have ended.',
    more: 'Choose a new password on the login page, or by a link from the operator, and set a second factor up again.',
  },
  'new recovery codes': {
    subject: 'New recovery codes',
    told: 'New recovery codes were made for your account at {host}{on}. The former ones do not work any more.',
  },
  'recovery code used': {
    subject: 'A recovery code was used',
    told: 'A recovery code of your account at {host} was used{on}, to log in or to confirm a change. Codes left: {left}.',
  },
  'few recovery codes': {
    subject: 'You have few recovery codes left',
    told: 'A recovery code of your account at {host} was used{on}, and two are left.',
    more: 'Log in and make new ones, so that you are not locked out if you lose your second factor. If you have lost it already, log in with a recovery code and add another.',
  },
  'wrong codes': {
    subject: 'Wrong codes at your account',
    told: 'Somebody who knows the password of your account at {host} has sent three wrong codes in a row{on}.',
  },
  'passkey added': {
    subject: 'A passkey was added',
    told: 'A passkey was added to your account at {host}{on}. Whoever has the device can log in with it by a fingerprint, a face or a PIN.',
    unexpected:
      'If it was not you, log in, remove the passkey and choose a new password at once, and ask the operator of the service for help.',
  },
  'passkey removed': {
    subject: 'A passkey was removed',
    told: 'A passkey of your account at {host} was removed{on}. Nobody can log in with it any more.',
    byOperator:
      'The operator of {host} has removed a passkey of your account{on}. Nobody can log in with it any more.',
    more: 'Sessions that were opened with it have not ended.',
  },
  'doctor decided': {
    subject: 'Your registration as a doctor was reviewed',
    told: 'Your registration as a doctor at {host} was reviewed{on}.',
    subjectOfCorrection: 'The correction of your data was reviewed',
    corrected: 'The correction of your data at {host} was reviewed{on}.',
    decisions: {
      verified: 'You are verified.',
      rejected: 'It was not accepted. You can send new documents.',
      suspended: 'You are suspended, and do not count as verified.',
      'end removed': 'You are verified, and this does not end any more.',
      'correction approved': 'It was accepted.',
      'correction rejected': 'It was not accepted. Your data stay as they were, and you are still verified.',
      /** Of a doctor who is not verified any more, or who wanted to renew the verification. */
      'proposal rejected': 'What you have sent was not accepted. Your verification stays as it was.',
    },
    /** If the verification ends. */
    until: 'Your verification is valid until the end of {until}.',
    because: 'Why: {grounds}.',
    grounds: {
      unreadable: 'a document cannot be read',
      'document-expired': 'a document is no longer valid',
      'name-differs': 'your name is not that of the documents',
      'number-not-found': 'your license number was not found',
      'wrong-document': 'a document is not the right one',
    },
    wrote: 'The reviewer wrote: {reason}',
    /** If the address is not confirmed. */
    withheld: 'The reviewer has given a reason. Log in to read it.',
    /** If not all documents are asked for. */
    again: 'Please send again: {documents}. The others stay.',
    documents: { license: 'the license', diploma: 'the diploma', certification: 'the certification' },
  },
  'verification ends': {
    subject: 'Your verification ends soon',
    told: 'Your verification as a doctor at {host} is valid until the end of {until}.',
    more: 'Send new documents in your account before, so that you stay verified.',
  },
  'account closed': {
    subject: 'Your account was closed',
    told: 'Your account at {host} was closed{on}. Nobody can log in to it any more.',
    byOperator: 'The operator of {host} has closed your account{on}. Nobody can log in to it any more.',
    erased: 'All its data will be erased.',
    /** Here, `{on}` is the time of the erasure. */
    erasedOn: 'All its data will be erased{on}. Until then the operator of the service can open it again.',
  },
  'account disabled': {
    subject: 'Your account was disabled',
    told: 'Your account at {host} was disabled{on}. Nobody can log in to it, and all sessions have ended.',
  },
  'account enabled': {
    subject: 'Your account was enabled again',
    told: 'Your account at {host} was enabled again{on}. You can log in.',
  },
  /** To somebody without an account. */
  invitation: {
    subject: 'Your invitation',
    told: 'The operator of {host} invites you to register as {role}. Register with this e-mail address by this link, which works once, for {days} days.',
    roles: { doctor: 'a doctor', patient: 'a patient' },
    stranger: 'If you did not expect this, you need not do anything: the invitation ends by itself.',
    link: 'Register',
  },
  /** To an operator who looks whether mails arrive. */
  test: {
    subject: 'Test mail of the auth gateway',
    nothing:
      'The operator of the auth gateway sends this to see whether mails arrive. There is nothing to do.',
  },
};

/** The texts of all mails in one language. */
export type MailTexts = typeof en;
