import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { ACCESSES, type MailReader } from '../../src/auth/mail-texts/mail-writer.ts';
import { runCommand } from '../../src/commands.ts';
import { MAIL_KINDS, type MessageKind } from '../../src/stores/messages.ts';
import { BRAND, brandSetting } from '../support/brand.ts';
import { collectOutputs } from '../support/program.ts';
import { mailSettings } from '../support/reset-codes.ts';

// Every mail by every cause that can send it, in every state: `auth-gateway mails preview` writes what a delivery sends.

type Access = MailReader['access'];

/** What a mail says: its first paragraph, and what stands below the line by what its reader can do. */
interface Said {
  about: string;
  open?: readonly string[];
  'no reset'?: readonly string[];
  closed?: readonly string[];
  disabled?: readonly string[];
  former?: readonly string[];
  /** True if it is mailed only to a proven e-mail, or only to one that is not. */
  proven?: boolean;
  /** In place of the usual last sentence for somebody who did not register. */
  stranger?: string;
}

const AT = 'on 5 May 2026 at 11:05 CEST';
const HOST = 'Clinic (app.example.org)';
const ASK_RESET =
  'If it was not you, ask for a new password on the login page at once, and ask the operator of the service for help.';
const ASK = 'If it was not you, ask the operator of the service for help at once.';
const TELL = 'If you did not ask for this, tell the operator of the service at once.';
const QUESTIONS = 'If you have questions, ask the operator of the service.';
const USED = 'If this account is not yours, somebody has used your e-mail address:';
const NOTHING = 'If this account is not yours, you need not do anything:';
const STRANGER: Record<Access, string> = {
  open: `${USED} ask for a new password with it on the login page, which ends the access of everybody else, and close the account.`,
  'no reset': `${USED} ask the operator of the service to remove it.`,
  closed: `${NOTHING} nobody can log in to it.`,
  disabled: `${NOTHING} nobody can log in to it.`,
  former: `${NOTHING} it no longer has your e-mail address.`,
};
const BY_LINK = `${USED} choose a new password by the link above, which ends the access of everybody else, and close the account.`;
const KEPT =
  'Passkeys with which one can still log in to it: 2. Look whether all of them are yours, and remove the others.';
const REASON = 'The reviewer wrote: One page is missing.';
const ERASED =
  'Nobody can log in to it any more. All its data will be erased on 4 June 2026 at 11:05 CEST. Until then the operator of the service can open it again.';
const CHANGED_PASSWORD = `The password of your account at ${HOST} was changed ${AT}.`;
const REMOVED_APP = `The authenticator app and the recovery codes of your account at ${HOST} were removed ${AT}.`;
const WITHOUT_LINK =
  'If it was not you, you need not do anything: without the link, no account gets your address.';
const REVIEWED = `Your registration as a doctor at ${HOST} was reviewed ${AT}.`;
const CORRECTED = `The correction of your data at ${HOST} was reviewed ${AT}.`;

/** A notice about something that the reader, or somebody with the account, has done. `more` is for who can log in. */
const notice = (about: string, more: readonly string[] = [], unexpected = ASK_RESET): Said => ({
  about,
  open: [...more, unexpected],
  'no reset': [...more, ASK],
  closed: [ASK],
  disabled: [ASK],
});
/** The same for every reader. */
const always = (about: string, ...below: string[]): Said => ({
  about,
  ...{ open: below, 'no reset': below, closed: below, disabled: below },
});
const toFormer = (said: Said, below: readonly string[]): Said => ({ ...said, former: below });
const onlyOpen = (about: string, ...below: string[]): Said => ({ about, open: below, 'no reset': below });

const invitation = (role: string): Said => ({
  about: `The operator of ${HOST} invites you to register as ${role}. Register with this e-mail address by this link, which works once, for 7 days.`,
  ...{ former: [], proven: false },
  stranger: 'If you did not expect this, you need not do anything: the invitation ends by itself.',
});

/** Notices to the owner, with nothing more to say. */
const NOTICES = {
  'second factor replaced': `The authenticator app of your account at ${HOST} was replaced ${AT}. The former app and the former recovery codes do not work any more, and all other sessions have ended.`,
  'new recovery codes': `New recovery codes were made for your account at ${HOST} ${AT}. The former ones do not work any more.`,
  'recovery code used': `A recovery code of your account at ${HOST} was used ${AT}, to log in or to confirm a change. Codes left: 7.`,
  'wrong codes': `Somebody who knows the password of your account at ${HOST} has sent three wrong codes in a row ${AT}.`,
};
const noticeOf = (kind: keyof typeof NOTICES) => ({ owner: notice(NOTICES[kind]) });

const TABLE: Record<MessageKind, Readonly<Record<string, Said>>> = {
  'password reset': {
    owner: {
      about: `Somebody has asked for a new password for your account at ${HOST}. If it was you, choose one by this link, which works once, for 60 minutes.`,
      open: ['If it was not you, you need not do anything: your password stays as it is.'],
      closed: [
        'The account is closed. A new password opens it again.',
        'If it was not you, you need not do anything: your password stays as it is.',
      ],
      stranger: BY_LINK,
    },
    operator: {
      about: `The operator of ${HOST} has sent you this link to choose a new password for your account. It works once, for 60 minutes.`,
      open: [TELL],
      closed: ['The account is closed. A new password opens it again.', TELL],
      stranger: BY_LINK,
    },
  },
  'password changed': {
    owner: notice(CHANGED_PASSWORD),
    'owner with passkeys': notice(CHANGED_PASSWORD, [KEPT]),
  },
  'e-mail proof': {
    owner: {
      ...onlyOpen(
        `There is an account with this e-mail address at ${HOST}. If it is yours, confirm the address by this link, which works once, for 24 hours.`,
      ),
      proven: false,
    },
  },
  'e-mail change': {
    owner: {
      ...onlyOpen(
        `Somebody wants to use this e-mail address for an account at ${HOST}. If it was you, confirm it by this link, which works once, for 24 hours.`,
      ),
      ...{ proven: false, stranger: WITHOUT_LINK },
    },
    operator: {
      ...onlyOpen(
        `The operator of ${HOST} wants to use this e-mail address for your account. If that is right, confirm it by this link, which works once, for 24 hours.`,
      ),
      ...{ proven: false, stranger: WITHOUT_LINK },
    },
  },
  'e-mail change requested': {
    'owner to former': toFormer(
      notice(
        `Somebody who is logged in to your account at ${HOST} has asked for another e-mail address ${AT}. The account gets it when the link is used that was mailed there.`,
        [],
        'If it was not you, choose a new password at once: that stops the change.',
      ),
      [ASK],
    ),
    'operator to former': toFormer(
      always(
        `The operator of ${HOST} has asked for another e-mail address for your account ${AT}, and has ended all sessions. The account gets the address when the link is used that was mailed there.`,
        TELL,
      ),
      [TELL],
    ),
  },
  'e-mail changed': {
    'owner to former': toFormer(
      always(`The e-mail address of your account at ${HOST} was changed ${AT}.`, ASK),
      [ASK],
    ),
    'operator to former': toFormer(
      always(`The operator of ${HOST} has changed the e-mail address of your account ${AT}.`, TELL),
      [TELL],
    ),
    'operator to new': always(
      `The operator of ${HOST} has given your account this e-mail address ${AT}.`,
      TELL,
    ),
  },
  'e-mail in use': {
    owner: {
      about: `Somebody wanted to use this e-mail address for another account at ${HOST}. You have an account with it already, so nothing was changed.`,
      open: [
        'If it was you, log in with this address.',
        'Ask for a new password on the login page if you have forgotten yours.',
      ],
      'no reset': ['If it was you, log in with this address.'],
    },
  },
  'new device': Object.fromEntries(
    Object.entries({ browser: 'Firefox on Android', program: 'an unknown program' }).map(
      ([cause, device]) => {
        const about = `Somebody has logged in to your account at ${HOST} ${AT} with a device that the account did not know: ${device}.`;
        return [`${cause} to former`, toFormer({ ...notice(about), proven: true }, [ASK])];
      },
    ),
  ),
  'doctor decided': {
    verified: always(`${REVIEWED} You are verified.`),
    'verified until': always(
      `${REVIEWED} You are verified. Your verification is valid until the end of 31 May 2027.`,
    ),
    'end removed': always(`${REVIEWED} You are verified, and this does not end any more.`),
    rejected: always(`${REVIEWED} It was not accepted. You can send new documents.`, REASON),
    'rejected in part': always(
      `${REVIEWED} It was not accepted. You can send new documents.`,
      REASON,
      'Please send again: the license, the diploma. The others stay.',
    ),
    'rejected with grounds': always(
      `${REVIEWED} It was not accepted. You can send new documents.`,
      'Why: a document cannot be read, your name is not that of the documents.',
      REASON,
    ),
    suspended: always(`${REVIEWED} You are suspended, and do not count as verified.`, REASON),
    'correction approved': always(`${CORRECTED} It was accepted.`),
    'correction rejected': always(
      `${CORRECTED} It was not accepted. Your data stay as they were, and you are still verified.`,
      REASON,
    ),
    'proposal rejected': always(
      `${REVIEWED} What you have sent was not accepted. Your verification stays as it was.`,
      REASON,
    ),
  },
  'verification ends': {
    until: onlyOpen(
      `Your verification as a doctor at ${HOST} is valid until the end of 31 May 2027.`,
      'Send new documents in your account before, so that you stay verified.',
    ),
  },
  'second factor added': {
    owner: notice(
      `An authenticator app was added to your account at ${HOST} ${AT}. A login asks for its code from now on, and all other sessions have ended.`,
      ['Keep the recovery codes: each lets you in once if you lose the app.'],
    ),
  },
  'second factor removed': {
    owner: notice(REMOVED_APP),
    'owner with passkeys': notice(REMOVED_APP),
  },
  'second factor reset': {
    operator: {
      ...always(
        `The operator of ${HOST} has removed the password and all second factors of your account ${AT}, and all sessions have ended.`,
        TELL,
      ),
      open: [
        'Choose a new password on the login page, or by a link from the operator, and set a second factor up again.',
        TELL,
      ],
    },
  },
  'few recovery codes': {
    owner: notice(`A recovery code of your account at ${HOST} was used ${AT}, and two are left.`, [
      'Log in and make new ones, so that you are not locked out if you lose your second factor. If you have lost it already, log in with a recovery code and add another.',
    ]),
  },
  'second factor replaced': noticeOf('second factor replaced'),
  'new recovery codes': noticeOf('new recovery codes'),
  'recovery code used': noticeOf('recovery code used'),
  'wrong codes': noticeOf('wrong codes'),
  'passkey added': {
    owner: notice(
      `A passkey was added to your account at ${HOST} ${AT}. Whoever has the device can log in with it by a fingerprint, a face or a PIN.`,
      [],
      'If it was not you, log in, remove the passkey and choose a new password at once, and ask the operator of the service for help.',
    ),
  },
  'passkey removed': {
    owner: notice(
      `A passkey of your account at ${HOST} was removed ${AT}. Nobody can log in with it any more.`,
      ['Sessions that were opened with it have not ended.'],
    ),
    operator: {
      ...notice(
        `The operator of ${HOST} has removed a passkey of your account ${AT}. Nobody can log in with it any more.`,
      ),
      open: ['Sessions that were opened with it have not ended.', TELL],
      'no reset': ['Sessions that were opened with it have not ended.', TELL],
      ...{ closed: [TELL], disabled: [TELL] },
    },
  },
  'account closed': {
    owner: {
      about: `Your account at ${HOST} was closed ${AT}. ${ERASED}`,
      ...{ closed: [ASK], disabled: [ASK] },
    },
    operator: {
      about: `The operator of ${HOST} has closed your account ${AT}. ${ERASED}`,
      ...{ closed: [TELL], disabled: [TELL] },
    },
  },
  'account disabled': {
    operator: {
      about: `Your account at ${HOST} was disabled ${AT}. Nobody can log in to it, and all sessions have ended.`,
      disabled: [QUESTIONS],
    },
  },
  'account enabled': {
    operator: onlyOpen(`Your account at ${HOST} was enabled again ${AT}. You can log in.`, QUESTIONS),
  },
  invitation: { doctor: invitation('a doctor'), patient: invitation('a patient') },
};

/** What the first paragraph says besides, to some readers. */
const ALSO: Readonly<Record<string, (access: Access) => string>> = {
  'second factor removed.owner': (access) =>
    canLogIn(access) ? ' The password alone is enough for a login now.' : '',
  'e-mail changed.owner to former': (access) =>
    access === 'former' ? ' You can no longer log in with this one.' : '',
  'e-mail changed.operator to former': (access) =>
    access === 'former' ? ' You can no longer log in with this one.' : '',
  'e-mail changed.operator to new': (access) => (canLogIn(access) ? ' Log in with it from now on.' : ''),
};
const canLogIn = (access: Access): boolean => access === 'open' || access === 'no reset';

/** A reason is a text that a person chose. */
const forStranger = (below: readonly string[], access: Access): string[] => {
  const withheld = canLogIn(access) ? ['The reviewer has given a reason. Log in to read it.'] : [];
  return below.flatMap((text) => (text === REASON ? withheld : [text]));
};

/** The mails of the table: the name of each, and its paragraphs without a link. */
function expected(): Map<string, string[]> {
  const mails = new Map<string, string[]>();
  for (const kind of MAIL_KINDS) {
    for (const [cause, said] of Object.entries(TABLE[kind])) {
      for (const access of ACCESSES) {
        const below = said[access];
        const about = said.about + (ALSO[`${kind}.${cause}`]?.(access) ?? '');
        const name = [kind, cause, access].join('.').replaceAll(' ', '-');
        // A reset opens only an account whose e-mail was never proven. A former e-mail may have been.
        if (below && said.proven !== false && (access !== 'closed' || cause.endsWith('to former'))) {
          mails.set(name, [about, ...below]);
        }
        if (below && said.proven !== true) {
          const stranger = said.stranger ?? STRANGER[access];
          mails.set(`${name}.unproven`, [about, ...forStranger(below, access), stranger]);
        }
      }
    }
  }
  return mails;
}

let folder: string;
let branded: string;
let stdout = '';

/** Writes all mails into a folder. @returns what is printed */
async function preview(out: string, settings: Record<string, string>): Promise<string> {
  const mail = { ...mailSettings('smtp://127.0.0.1'), ...settings };
  const result = await collectOutputs((outputs) =>
    runCommand(['mails', 'preview', '--out', out], () => mail, { ...outputs, stdin: new PassThrough() }),
  );
  expect(result).toMatchObject({ code: 0, stderr: '' });
  return result.stdout;
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mails-'));
  branded = path.join(folder, 'branded');
  stdout = await preview(folder, { NODE_ENV: 'test', TIME_ZONE: 'Europe/Berlin' });
  await preview(branded, { MAIL_FROM: 'clinic@example.org', ...brandSetting() });
});
afterAll(() => rm(folder, { recursive: true }));

const LINE = `\n\n${'-'.repeat(40)}\n\n`;

async function readMail(language: string, name: string) {
  const text = await readFile(path.join(folder, language, `${name}.txt`), 'utf8');
  const [, subject = '', body = ''] = /^(.+)\n\n([\s\S]*)\n$/.exec(text) ?? [];
  const [first = '', rest] = body.split(LINE);
  const [about = '', label, url] = first.split('\n');
  return { subject, about, label, url, below: rest?.split('\n\n') ?? [] };
}

const namesIn = async (language: string) =>
  (await readdir(path.join(folder, language)))
    .filter((name) => name.endsWith('.txt'))
    .map((name) => name.replace(/\.txt$/, ''))
    .sort();

test('every mail says, for every cause and in every state, what the table has', async () => {
  const names = await namesIn('en');
  const table = expected();
  expect(names).toEqual([...table.keys()].sort());
  expect(stdout).toBe(`Mails written to ${folder}: ${2 * names.length}.\n`);
  for (const name of names) {
    const { about, below } = await readMail('en', name);
    expect({ name, said: [about, ...below] }).toEqual({ name, said: table.get(name) });
  }
});

test.each(['en', 'de'])(
  'in %s the link stands in the first paragraph, and only where it works',
  async (language) => {
    const names = await namesIn(language);
    expect(names).toEqual(await namesIn('en'));
    for (const name of names) {
      const { label, url } = await readMail(language, name);
      const [kind = '', , access] = name.replaceAll('-', ' ').split('.');
      const isLink = ['password reset', 'e mail proof', 'e mail change', 'invitation'].includes(kind);
      const hasLogin = canLogIn(access as Access) && !kind.startsWith('account ');
      const ofLogin = hasLogin ? 'https://app.example.org/' : undefined;
      expect({ name, url }).toEqual({
        name,
        url: isLink ? expect.stringContaining('token=preview') : ofLogin,
      });
      expect(label === undefined).toBe(url === undefined);
      const html = await readFile(path.join(folder, language, `${name}.html`), 'utf8');
      expect(html).toContain(`<html lang="${language}"`);
      expect([...html.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => href)).toEqual(url ? [url] : []);
    }
  },
);

test('in German each mail has as many paragraphs, none of them in English', async () => {
  for (const name of await namesIn('en')) {
    const [english, german] = await Promise.all([readMail('en', name), readMail('de', name)]);
    const textsOf = ({ subject, about, label, below }: typeof english) => [subject, about, label, ...below];
    expect(textsOf(german)).toHaveLength(textsOf(english).length);
    const same = textsOf(german).filter((text) => text !== undefined && textsOf(english).includes(text));
    expect({ name, same }).toEqual({ name, same: [] });
    expect(german.about + german.below.join()).not.toMatch(/[{}]|undefined|2026 um 09:05/);
  }
});

test.each([
  ['en', ['Contact', 'Imprint', 'Privacy']],
  ['de', ['Kontakt', 'Impressum', 'Datenschutz']],
])(
  'in %s each mail ends with what the clinic says about itself, also to a disabled account',
  async (language, labels) => {
    const { contact, imprint, privacy } = BRAND;
    const end = [contact, imprint, privacy].map((text, index) => `${labels[index]}: ${text}`).join('\n');
    const names = await readdir(path.join(branded, language));
    const textNames = names.filter((name) => name.endsWith('.txt'));
    expect(textNames.filter((name) => name.startsWith('account-disabled.'))).toHaveLength(2);
    for (const name of textNames) {
      const text = await readFile(path.join(branded, language, name), 'utf8');
      expect(text.endsWith(`\n\n${end}\n`)).toBe(true);
      expect(text).toContain(`${BRAND.name} (app.example.org)`);
      const html = await readFile(path.join(branded, language, name.replace('.txt', '.html')), 'utf8');
      expect(html).toContain(`o&#39;neil&amp;{host}@clinic.example<br>`);
      expect(html).not.toMatch(/<b>|<img|<link|src=|url\(/);
    }
  },
);
