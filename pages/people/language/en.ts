/** A number with its noun. */
const count = (number: number, one: string, many: string): string =>
  number === 1 ? one : `${number} ${many}`;

/** What a rule is about: its limit in words, and the name of the field. */
export interface BrokenBy {
  limit: string;
  field: string;
}

/** What an error says beside its code. */
export interface ErrorFacts {
  seconds: number;
  status: number;
}

/** The text about a field; of most fields there is nothing special to say. */
export const textFor = (field: string, other: string, texts: Readonly<Record<string, string>>): string =>
  texts[field] ?? other;

const busy = ({ seconds }: ErrorFacts) =>
  `The service is busy. Please try again in ${count(seconds, 'a second', 'seconds')}.`;
const notUnderstood = () => 'The service does not understand this page. Please load it again.';
const tooLong = () => 'This took too long. Please try again.';

/** All texts of the page in English. Those of the other languages have the same type, so none can be missing. */
export const en = {
  mainNavigation: 'Main',
  titles: {
    '/login': 'Log in',
    '/forgotten': 'Forgotten password',
    '/reset': 'Choose a new password',
    '/confirm': 'Confirm your e-mail address',
    '/register/doctor': 'Register as a doctor',
    '/register/patient': 'Register as a patient',
    '/account': 'Your account',
    '/help': 'For patients and doctors',
  },
  /** The links of the navigation, in their order. */
  navigation: {
    '/login': 'Log in',
    '/register/doctor': 'For doctors',
    '/register/patient': 'For patients',
    '/account': 'Your account',
    '/help': 'Help',
  },
  brand: { imprint: 'Imprint', privacy: 'Privacy' },
  backTo: (host: string) => `Back to ${host}`,
  loading: 'Loading…',
  tryAgain: 'Try again',
  cancel: 'Cancel',
  goOn: 'Go on',
  confirm: 'Confirm',
  remove: 'Remove',
  rename: 'Rename',
  optional: '(optional)',
  size: (megabytes: string) => `${megabytes} MB`,
  smallSize: 'less than 0.1 MB',

  fields: {
    name: 'Full name',
    email: 'E-mail',
    newEmail: 'New e-mail address',
    password: 'Password',
    ownPassword: 'Your password',
    currentPassword: 'Current password',
    newPassword: 'New password',
    phone: 'Telephone',
    dateOfBirth: 'Date of birth',
    specialization: 'Specialization',
    licenseNumber: 'License number',
    licenseFile: 'License',
    diplomaFile: 'Diploma',
    certificationFile: 'Certification',
    currentInstitution: 'Current institution',
    practiceAddress: 'Practice address',
    workHistory: 'Work history',
    publications: 'Publications',
    language: 'Language of the mails',
    linkCode: 'Code of the link',
    resetCode: 'Reset code',
    invitation: 'Invitation',
    code: 'Code of your authenticator app',
    newCode: 'Code that the app shows',
    recoveryCode: 'Recovery code',
    revokeOtherTokens: 'Log out everywhere else',
    passkeyName: 'Name',
  },
  hints: {
    password: (characters: number) => `At least ${characters} characters, and no common password`,
    document: (size: string) => `PDF, picture or Word document, up to ${size}`,
    linkCode: 'From the link in the mail',
    resetCode: 'From the link in the mail, or from the operator',
    forgotten: 'We send a link to this address. It works for an hour.',
    code: 'Six digits, which change every 30 seconds.',
    recoveryCode: '24 letters and digits. Each works once.',
    passkeyName: 'For you, such as “The key of the hospital”.',
    reviewed: 'It changes when a reviewer has approved it.',
  },
  form: {
    wrong: (number: number) => `${count(number, 'One field needs', 'fields need')} your attention:`,
    show: (label: string) => `Show ${label.toLowerCase()}`,
    removeFile: (label: string) => `Remove the ${label.toLowerCase()}`,
    chooseFile: 'Choose a file',
    dropFile: 'or drop it here',
    file: 'FILE',
    upload: 'Upload',
    sent: 'Sent. Checking…',
    progress: (percent: number, size: string) => `${percent} % of ${size}`,
    sending: 'The documents are being sent.',
    checking: 'Everything is sent and is being checked.',
  },
  advice: {
    short: (limit: number) => `Too short: ${limit} more needed.`,
    long: (limit: number) => `Too long: it may have up to ${limit} bytes.`,
    common: () => 'Too common: attackers try this one first.',
    personal: () => 'Easy to guess: it contains your name or e-mail.',
    repeated: () => 'Easy to guess: it repeats itself, or follows a sequence.',
    fair: () => 'Fair. A longer one is stronger.',
    good: () => 'Good.',
    strong: () => 'Strong.',
  },

  /** What a field breaks, by the rule that the gateway names. */
  rules: {
    required: () => 'Please fill this in.',
    string: () => 'Please write a text.',
    format: () => 'Please check this: it does not have the right form.',
    max_length: ({ limit }: BrokenBy) => `Please use at most ${limit} characters.`,
    min_length: ({ limit }: BrokenBy) => `Please use at least ${limit} characters.`,
    max_bytes: ({ limit }: BrokenBy) => `This is too long: at most ${limit} bytes.`,
    email: () => 'Please write an e-mail address, such as sam@example.org.',
    taken: () => 'Somebody has an account with this e-mail address already.',
    confirmed: () => 'The two passwords are not the same.',
    common: () => 'Many people use this password, so it is easy to guess. Please choose another one.',
    personal: () => 'Please choose a password without your name and your e-mail address.',
    date: () => 'Please write a day of the calendar.',
    too_early: ({ limit }: BrokenBy) => `Please write a day from ${limit} on.`,
    future: () => 'This day is still to come.',
    file: () => 'Please choose a file.',
    max_size: ({ limit }: BrokenBy) => `This file is too large: at most ${limit}.`,
    file_type: ({ limit }: BrokenBy) => `Please choose a file of one of these types: ${limit}.`,
    same: () => 'This is what your account has already.',
    prohibited: () => 'This cannot be changed here.',
    wrong: ({ field }: BrokenBy) =>
      textFor(field, 'The password is incorrect.', {
        credential: 'This passkey was not accepted.',
        code: 'This code is not right.',
        recoveryCode: 'This recovery code is not right.',
      }),
    expired: ({ field }: BrokenBy) =>
      textFor(field, 'This has changed meanwhile. Please load the page again.', {
        token: 'This link was used already, or has expired. Please ask for another one.',
        code: 'This code was used already. Please wait for the next one.',
        challenge: 'This took too long, or there were too many wrong codes. Please log in again.',
        password: 'There were too many wrong codes. Please choose a new password by a reset link.',
      }),
    state: ({ field }: BrokenBy) =>
      textFor(field, 'This is not possible any more. Please load the page again.', {
        email:
          'Your e-mail address is not confirmed, or is being changed. Please use the link in the mail first.',
        credential: 'Your account has as many passkeys as it may have. Please remove one first.',
      }),
  },
  /** Errors that belong to no field, by the code of the gateway or the client. */
  errors: {
    INVALID_CREDENTIALS: () => 'There is no account with this e-mail and password.',
    TOO_MANY_ATTEMPTS: ({ seconds }: ErrorFacts) =>
      `Too many attempts. Please try again in ${count(seconds, 'a second', 'seconds')}.`,
    SERVICE_UNAVAILABLE: busy,
    FORBIDDEN: () => 'Your account may not do this.',
    UNAUTHENTICATED: () => 'Your session has ended. Please log in again.',
    INSUFFICIENT_USER_AUTHENTICATION: () => 'Please log in again with your second factor.',
    TWO_FACTOR_REQUIRED: () => 'A code of your authenticator app is needed.',
    TWO_FACTOR_SETUP_REQUIRED: () => 'Your account needs a second factor before you can log in.',
    NOT_FOUND: () => 'This service does not offer that, or it is there no more.',
    BAD_USER_INPUT: () => 'Something in this form is not right.',
    PAYLOAD_TOO_LARGE: () => 'The documents are too large to be sent together.',
    NETWORK_ERROR: () => 'The service cannot be reached. Please check your connection and try again.',
    TIMEOUT: tooLong,
    REQUEST_TIMEOUT: tooLong,
    ABORTED: () =>
      'You have cancelled. Everything may have arrived before that: look before you send it again.',
    CANCELLED: () => 'No passkey was used.',
    PASSKEY_EXISTS: () => 'This device has a passkey of the account already.',
    PASSKEYS_UNAVAILABLE: () => 'Passkeys cannot be used on this page.',
    FILE_NOT_READABLE: () => 'This file cannot be read.',
    INVALID_RESPONSE: ({ status }: ErrorFacts) =>
      `The service does not answer as it should (HTTP ${status}). Please try again later.`,
    INTERNAL_SERVER_ERROR: () => 'Something went wrong in the service. Please try again later.',
    BAD_REQUEST: notUnderstood,
    GRAPHQL_PARSE_FAILED: notUnderstood,
    GRAPHQL_VALIDATION_FAILED: notUnderstood,
    METHOD_NOT_ALLOWED: notUnderstood,
    OPERATION_RESOLUTION_FAILURE: notUnderstood,
    PERSISTED_QUERY_NOT_SUPPORTED: notUnderstood,
    UNKNOWN: () => 'Something went wrong. Please try again later.',
  },
  mayHaveHappened: 'It may have happened: look before you try again.',
  requestId: (id: string) => `When you report this, please mention ${id}.`,

  session: {
    ended: 'Your session has ended. Please log in again.',
    begun: (name: string) => `Welcome back, ${name}.`,
    loggedOut: 'You are logged out.',
    idle: 'You are logged out, because you were away for 30 minutes.',
    staff: 'This account is for the console. Please log in there.',
    logOut: 'Log out',
    logOutElsewhere: 'Log out everywhere else',
  },
  login: {
    logIn: 'Log in',
    withPasskey: 'Sign in with a passkey',
    usePasskey: 'Use your passkey',
    forgotten: 'Forgotten your password?',
    newHere: 'New here?',
    asDoctor: 'Register as a doctor',
    or: 'or',
    asPatient: 'as a patient',
    staff: 'For staff:',
    console: 'the console',
    backToPassword: 'Back to the password',
    backToLogin: 'Back to the login',
    sendLink: 'Send the link',
    linkSent: 'If there is an account with this e-mail, a mail with a link is on its way to it.',
    setPassword: 'Set the new password',
    passwordSet: 'Your new password is set. Please log in with it.',
    anotherLink: 'Ask for another link',
    confirmAddress: 'Confirm the address',
    confirmed: 'Your e-mail address is confirmed.',
    needsFactor: 'Your account needs a second factor: a passkey, or an authenticator app on your phone.',
    setUpPasskey: 'Set up a passkey',
    confirmFirst: 'First confirm your e-mail address: open the link in the mail that you got.',
    haveConfirmed: 'I have confirmed it',
  },
  register: {
    submit: 'Register',
    account: 'Your account',
    license: 'Your license to practise',
    documents: 'Your documents',
    more: 'More about you',
    doctorReady: (name: string) => `Welcome, ${name}. Your documents have arrived.`,
    patientReady: (name: string) => `Welcome, ${name}. Your account is ready.`,
    invited: (name: string, role: string, email: string) =>
      `You are invited: ${name}, ${role.toLowerCase()}, ${email}. This will be the e-mail address of your account.`,
    closed: (contact: string) => `Ask the clinic for an invitation${contact && `: ${contact}`}.`,
    notInvited: (contact: string) =>
      `This invitation was used or withdrawn, or has expired. If you have an account, log in. Otherwise ask the clinic${contact && `: ${contact}`}.`,
  },

  roles: { DOCTOR: 'Doctor', PATIENT: 'Patient', REVIEWER: 'Reviewer' },
  role: 'Role',
  documents: 'Documents',
  grounds: {
    UNREADABLE: 'A document cannot be read.',
    DOCUMENT_EXPIRED: 'A document is no longer valid.',
    NAME_DIFFERS: 'Your name is not that of the documents.',
    NUMBER_NOT_FOUND: 'Your license number was not found.',
    WRONG_DOCUMENT: 'A document is not the right one.',
  },
  verification: {
    PENDING: {
      title: 'Waiting for review',
      text: () => 'You need not do anything until somebody has reviewed your documents.',
    },
    VERIFIED: {
      title: 'You are verified',
      text: (time: string) => `Your documents were approved on ${time}.`,
    },
    REJECTED: {
      title: 'Your documents were rejected',
      text: (time: string) => `They were reviewed on ${time}.`,
    },
    SUSPENDED: {
      title: 'You are suspended',
      text: (time: string) => `Your verification was suspended on ${time}.`,
    },
    EXPIRED: {
      title: 'Your verification has expired',
      text: (time: string) => `It was decided on ${time}, and has ended.`,
    },
  },
  resubmission: {
    submit: 'Send the documents again',
    arrived: 'Your new documents have arrived.',
    renew: 'Send new documents, so that you stay verified. You can leave out those that have not changed.',
    until: (time: string) => `Verified until ${time}.`,
    waits: 'Your new documents wait for a reviewer.',
  },
  correction: {
    title: 'Correct your data',
    save: 'Save',
    saved: 'Your data is saved.',
    partWaits: 'Saved. A part of it waits for a reviewer.',
    waits: 'Your correction waits for a reviewer',
    sentOn: (time: string) =>
      `You sent it on ${time}. Until somebody has approved it, the current values count.`,
    proposal: 'Proposed correction',
    field: 'Field',
    current: 'Current',
    proposed: 'Proposed',
    leaveLanguage: 'Leave it as it is',
  },
  email: {
    title: 'E-mail address',
    yours: (email: string) => `Your address is ${email}.`,
    change: 'Change the address',
    changing: 'Open the link in the mail to the new address: your address changes then.',
    unconfirmed: 'Your e-mail address is not confirmed',
    howToConfirm:
      'Open the link in the mail that you got when you registered, and press the button on its page.',
    sendAgain: 'Send me the link again',
    sentAgain: 'A link is on its way to you, if you got none in this minute.',
  },
  password: {
    title: 'Password',
    change: 'Change the password',
    changed: 'Your password is changed.',
    changedAndRevoked: 'Your password is changed. You are logged out everywhere else.',
  },
  factor: {
    title: 'Second factor',
    on: (codesLeft: number) =>
      `A login asks for a code of your authenticator app. Recovery codes left: ${codesLeft}.`,
    off: 'With an authenticator app, nobody gets in with your password alone.',
    lostPhone:
      'You used a recovery code. If your phone is lost, replace the app now: the lost one then stops working.',
    setUp: 'Set up an app…',
    setUpTitle: 'Set up an app',
    replace: 'Replace the app…',
    replaceTitle: 'Replace your app',
    isSetUp: 'Your authenticator app is set up. You are logged out everywhere else.',
    scan: 'Scan this with an authenticator app, such as that of your password manager.',
    qrCode: 'QR code with the secret',
    orType: 'Or type the secret:',
    openApp: 'Open the app on this device',
    newCodes: 'New recovery codes…',
    newCodesTitle: 'New recovery codes',
    formerCodes: 'The former ones do not work any more.',
    makeCodes: 'Make new codes',
    removeFactor: 'Remove…',
    removeTitle: 'Remove the second factor?',
    removal: 'Your password alone is enough to log in then.',
    removed: 'Your second factor is removed.',
    useApp: 'Use the authenticator app',
    useRecoveryCode: 'Lost your phone? Use a recovery code',
  },
  codes: {
    title: 'Your recovery codes',
    text: 'Each lets you in once if you lose your phone. Keep them where nobody else finds them. They are shown only now.',
    head: (service: string, day: string) => `Recovery codes of ${service}, made on ${day}`,
    fileName: 'recovery-codes',
    copy: 'Copy',
    copied: 'Copied',
    notCopied: 'Mark the codes to copy them',
    save: 'Save',
    print: 'Print',
    keep: 'I have kept them',
  },
  passkeys: {
    title: 'Passkeys',
    none: 'Sign in with your fingerprint, your face, the PIN of this device or a security key, without a password.',
    some: 'Have you lost a device? Remove its passkey, and revoke its session above. Your password works as before.',
    add: 'Add a passkey…',
    addTitle: 'Add a passkey',
    added: (name: string) => `The passkey “${name}” is added.`,
    notAdded: 'No passkey was added.',
    renameTitle: 'Rename the passkey',
    renamed: 'The passkey has another name.',
    removeTitle: (name: string) => `Remove “${name}”?`,
    removal: 'Nobody can sign in with it then. Sessions that it has opened stay until you revoke them.',
    removed: 'The passkey is removed.',
    renameOne: (name: string) => `Rename ${name}`,
    removeOne: (name: string) => `Remove ${name}`,
    since: (time: string) => `Since ${time}`,
    lastUsed: (time: string) => `, last used ${time}`,
    backedUp: ', also on your other devices',
  },
  tokens: {
    title: 'Where you are logged in',
    unknownDevice: 'Unknown device',
    thisSession: 'This session',
    since: (time: string) => `Since ${time}`,
    from: (address: string) => ` from ${address}`,
    lastUsed: (time: string) => `, last used ${time}`,
    until: (time: string) => `, until ${time}`,
    revoke: 'Revoke',
    revokeOne: (device: string, time: string, isCurrent: boolean) =>
      `Revoke ${device}, since ${time}${isCurrent ? ', this session' : ''}`,
    revoked: 'The token is revoked.',
    revokedOthers: (number: number) => `Revoked: ${number} ${number === 1 ? 'token' : 'tokens'}.`,
  },
  leaving: {
    title: 'Your data',
    download: 'Download my data',
    downloaded: 'Your data is downloaded.',
    close: 'Close my account…',
    closeTitle: 'Close your account?',
    closeText: 'You are logged out at once, and cannot log in any more. Your data is erased later.',
    closeSubmit: 'Close my account',
    closed: (day: string) => `Your account is closed. It will be erased after ${day}.`,
  },
};

export type Texts = typeof en;
