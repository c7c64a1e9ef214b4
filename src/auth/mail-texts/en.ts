import type { MessageLanguage } from '../../mail/message.ts';

/**
 * The texts of all mails in English. Every other language has the same keys with the same placeholders.
 *
 * `{host}` is the host of the application; `{on}` is the text of `on`, or nothing if the time is unknown. One of the `decisions`
 * takes the place of `{decision}`.
 */
export const en = {
  /** The `lang` and `dir` of the HTML. */
  lang: 'en',
  dir: 'ltr' as MessageLanguage['dir'],
  /** The locale whose forms of dates and times the mails use (BCP 47). */
  dates: 'en-GB',
  on: ' on {date} at {time}',
  greeting: 'Hello,',
  /** The link to the application, in mails that have no other. */
  login: 'Log in',
  'password reset': {
    subject: 'Choose a new password',
    asked:
      'somebody has asked for a new password for your account at {host}. If it was you, open this link and choose one. The link works once, for {minutes} minutes.',
    unexpected: 'If it was not you, you need not do anything. Your password stays as it is.',
    link: 'Choose a new password',
  },
  'e-mail proof': {
    subject: 'Confirm your e-mail address',
    asked:
      'there is an account with this e-mail address at {host}. If it is yours, open this link and confirm the address. The link works once, for {hours} hours.',
    unexpected: 'If it is not yours, do not confirm the address.',
    link: 'Confirm the e-mail address',
  },
  /** To the new address. */
  'e-mail change': {
    subject: 'Confirm your new e-mail address',
    asked:
      'somebody wants to use this e-mail address for an account at {host}. If it was you, open this link and confirm the address. The link works once, for {hours} hours.',
    unexpected:
      'If it was not you, you need not do anything: without the link, no account gets your address.',
    link: 'Confirm the e-mail address',
  },
  /** To the present address. */
  'e-mail change requested': {
    subject: 'A new e-mail address for your account',
    requested:
      'somebody who is logged in to your account at {host} has asked for another e-mail address{on}. The account gets it when the link is used that was mailed to the new address.',
    unexpected:
      'If it was you, you need not do anything. If it was not you, choose a new password at once: that stops the change.',
  },
  /** To the owner of an account whose address somebody has asked for. */
  'e-mail in use': {
    subject: 'You have an account already',
    wanted:
      'somebody wanted to use this e-mail address for another account at {host}. You have an account with it already, so nothing was changed.',
    unexpected:
      'If it was you, log in with this address. Ask for a new password if you have forgotten yours. If it was not you, you need not do anything.',
  },
  /** At the end of each mail to an address that nobody has confirmed: `stranger`, and one of the others. */
  unproven: {
    stranger:
      'Nobody has confirmed yet that this e-mail address belongs to the account. If you did not register at {host}, somebody else has used your address.',
    reset:
      'Ask for a new password on the login page with this address, and choose one by the link that you get: it ends the access of everybody else, and the account is yours to close.',
    /** In the mail that has a link to a new password. */
    resetHere:
      'Choose a new password by the link of this mail: it ends the access of everybody else, and the account is yours to close.',
    /** If the account has another address by now. */
    former: 'The account does not have it any more, so you need not do anything.',
  },
  'password changed': {
    subject: 'Your password was changed',
    changed: 'the password of your account at {host} was changed{on}.',
    /** If there are any: a new password ends none of them. */
    passkeys:
      'Passkeys with which one can still log in to it: {passkeys}. Look whether all of them are yours, and remove the others.',
    unexpected:
      'If it was you, you need not do anything. If it was not you, ask for a new password on the login page, and ask the operator of the service for help at once: somebody else may have used your account.',
  },
  'e-mail changed': {
    subject: 'Your e-mail address was changed',
    /** To the former address. */
    former:
      'your account at {host} has another e-mail address now. It was changed{on}. You can no longer log in with this one.',
    /** To the new address. */
    present:
      'your account at {host} has this e-mail address now. It was changed{on}. Log in with it from now on.',
    unexpected: 'If you have not asked for that, ask the operator of the service for help at once.',
  },
  /** `named` or `unknown` takes the place of `{device}`; the names are those of products. */
  'new device': {
    subject: 'A login from another device',
    loggedIn:
      'somebody has logged in to your account at {host}{on} with a device that the account did not know: {device}.',
    named: '{browser} on {system}',
    unknown: 'an unknown program',
    unexpected:
      'If it was you, you need not do anything. If it was not you, ask for a new password on the login page at once, and choose one by the link that you get: it ends all sessions.',
  },
  'second factor added': {
    subject: 'Two-factor authentication is on',
    told: 'an authenticator app was added to your account at {host}{on}. A login asks for its code from now on, and all other sessions have ended. Keep the recovery codes: each lets you in once if you lose the app.',
    unexpected:
      'If it was you, you need not do anything. If it was not you, ask for a new password on the login page at once, and ask the operator of the service for help.',
  },
  'second factor replaced': {
    subject: 'Your authenticator app was replaced',
    told: 'the authenticator app of your account at {host} was replaced{on}. The former app and the former recovery codes do not work any more, and all other sessions have ended.',
    unexpected:
      'If it was you, you need not do anything. If it was not you, ask for a new password on the login page at once, and ask the operator of the service for help.',
  },
  'second factor removed': {
    subject: 'Two-factor authentication is off',
    told: 'the authenticator app and the recovery codes of your account at {host} were removed{on}. The password alone is enough for a login now.',
    unexpected:
      'If it was you, you need not do anything. If it was not you, ask for a new password on the login page at once, and ask the operator of the service for help.',
  },
  'second factor reset': {
    subject: 'Two-factor authentication was removed',
    told: 'the authenticator app, the passkeys, the recovery codes and the password of your account at {host} were removed by the operator of the service{on}, and all sessions have ended. A link from the operator, or the login page, lets you choose a new password. Then add an authenticator app or a passkey again.',
    unexpected: 'If you did not ask for this, tell the operator of the service at once.',
  },
  'new recovery codes': {
    subject: 'New recovery codes',
    told: 'new recovery codes were made for your account at {host}{on}. The former ones do not work any more.',
    unexpected:
      'If it was you, you need not do anything. If it was not you, ask for a new password on the login page at once, and ask the operator of the service for help.',
  },
  'recovery code used': {
    subject: 'A recovery code was used',
    told: 'somebody has logged in to your account at {host}, or confirmed a change of it, with a recovery code{on}. You have {left} left.',
    unexpected:
      'If it was you, you need not do anything. If it was not you, ask for a new password on the login page at once, and ask the operator of the service for help.',
  },
  'few recovery codes': {
    subject: 'You have few recovery codes left',
    told: 'a recovery code of your account at {host} was used{on}, and two are left. Log in and make new ones, so that you are not locked out if you lose your authenticator app.',
    unexpected: 'If you have lost the app already, log in with a recovery code and add the app again.',
  },
  'wrong codes': {
    subject: 'Wrong codes at your account',
    told: 'somebody who knows the password of your account at {host} has sent three wrong codes in a row{on}. Without a right one nobody gets in.',
    unexpected:
      'If it was you, you need not do anything. If it was not you, ask for a new password on the login page at once: somebody knows yours.',
  },
  'passkey added': {
    subject: 'A passkey was added',
    told: 'a passkey was added to your account at {host}{on}. Whoever has the device can log in with it by a fingerprint, a face or a PIN.',
    unexpected:
      'If it was you, you need not do anything. If it was not you, log in, remove the passkey and choose a new password at once, and ask the operator of the service for help.',
  },
  'passkey removed': {
    subject: 'A passkey was removed',
    told: 'a passkey of your account at {host} was removed{on}. Nobody can log in with it any more. Sessions that were opened with it have not ended.',
    unexpected:
      'If it was you, you need not do anything. If it was not you, ask for a new password on the login page at once, and ask the operator of the service for help.',
  },
  'doctor decided': {
    subject: 'Your registration as a doctor was reviewed',
    reviewed: 'the documents of your account at {host} were reviewed{on}. {decision}',
    subjectOfCorrection: 'The correction of your data was reviewed',
    corrected: 'the correction of your data at {host} was reviewed{on}. {decision}',
    decisions: {
      verified: 'They were accepted: you are verified.',
      rejected: 'They were not accepted. You can send new documents.',
      suspended: 'Your verification is suspended.',
      'correction approved': 'It was accepted.',
      'correction rejected': 'It was not accepted. Your data stay as they were, and you are still verified.',
    },
    wrote: 'The reviewer wrote: {reason}',
    /** If not all documents are asked for. */
    again: 'Please send again: {documents}. The others stay.',
    documents: { license: 'the license', diploma: 'the diploma', certification: 'the certification' },
    state: 'Log in to see the state of your account.',
  },
  'account closed': {
    subject: 'Your account was closed',
    closed: 'your account at {host} was closed{on}. Nobody can log in to it any more.',
    erased: 'All its data will be erased.',
    /** Here, `{on}` is the time of the erasure. */
    erasedOn: 'All its data will be erased{on}. Until then the operator of the service can open it again.',
    unexpected: 'If it was not you who closed it, ask the operator of the service for help at once.',
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
