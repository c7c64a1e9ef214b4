import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { mailFrame } from '../auth/account-mails.ts';
import { linkUrl } from '../auth/link-tokens.ts';
import { MAIL_LANGUAGES, textsIn } from '../auth/mail-texts/languages.ts';
import { ACCESSES, isLink, isWritten, type MailFacts, mailWriter } from '../auth/mail-texts/mail-writer.ts';
import { BY_OPERATOR } from '../auth/owner-notices.ts';
import { type Config, readConfig } from '../config/config.ts';
import { messageHtml, messageText } from '../mail/message.ts';
import { MAIL_KINDS, type MailKind } from '../stores/messages.ts';
import { type CommandGroup, runnerOf, type Task, UsageError } from './command-line.ts';
import { type Line, printAll } from './print.ts';

const OPTIONS = { out: { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean' } } as const;

const NOTES = `  The name of a file has the kind of the mail, its cause, what its reader can do (open: everything;
    no-reset: not get a link to a new password; closed: only that; disabled, former: nothing), and
    unproven if nobody has confirmed the address. Only the settings are read.
  --json prints one JSON object.
  Exit codes: 0 done; 1 failed; 2 wrong command line.
`;

const summary =
  'writes every mail, in every language and state, as text and HTML into a folder. It sends none';

const MAILS: CommandGroup<typeof OPTIONS> = {
  name: 'auth-gateway mails',
  options: OPTIONS,
  forAll: ['json', 'help'],
  commands: new Map([
    ['preview', { usage: '--out DIR', summary, options: ['out'], prepare: ({ out }) => preparePreview(out) }],
  ]),
  notes: NOTES,
};

export const run = runnerOf(MAILS);

/** @throws UsageError */
function preparePreview(folder = ''): Task {
  if (folder === '') {
    throw new UsageError('Say where to: --out DIR.');
  }
  return async ({ environment, isJson, stdout }) => {
    await printAll(writePreviews(readConfig(environment()), folder), isJson, stdout);
    return 0;
  };
}

/** The causes of mails that have several, or whose orders have facts: kind, name, facts, and how many passkeys the account has. */
const CAUSES: readonly (readonly [MailKind, string, MailFacts?, number?])[] = [
  ['password reset', 'owner'],
  ['password reset', 'operator', BY_OPERATOR],
  ['password changed', 'owner'],
  ['password changed', 'owner with passkeys', {}, 2],
  ['e-mail change', 'owner'],
  ['e-mail change', 'operator', BY_OPERATOR],
  ['e-mail change requested', 'owner to former'],
  ['e-mail change requested', 'operator to former', BY_OPERATOR],
  ['e-mail changed', 'owner to former'],
  ['e-mail changed', 'operator to former', BY_OPERATOR],
  ['e-mail changed', 'operator to new', BY_OPERATOR],
  ['new device', 'browser to former', { browser: 'Firefox', system: 'Android' }],
  ['new device', 'program to former'],
  ['second factor removed', 'owner'],
  ['second factor removed', 'owner with passkeys', {}, 2],
  ['second factor reset', 'operator', BY_OPERATOR],
  ['recovery code used', 'owner', { left: '7' }],
  ['passkey removed', 'owner'],
  ['passkey removed', 'operator', BY_OPERATOR],
  ['doctor decided', 'verified', { status: 'verified' }],
  ['doctor decided', 'rejected', { status: 'rejected', reason: 'One page is missing.' }],
  ['doctor decided', 'rejected in part', { status: 'rejected', documents: 'license diploma' }],
  ['doctor decided', 'suspended', { status: 'suspended', reason: 'One page is missing.' }],
  ['doctor decided', 'correction approved', { status: 'correction approved' }],
  ['doctor decided', 'correction rejected', { status: 'correction rejected', reason: 'No proof.' }],
  ['account closed', 'owner', { erasedAt: '2026-06-04T09:05:33Z' }],
  ['account closed', 'operator', { ...BY_OPERATOR, erasedAt: '2026-06-04T09:05:33Z' }],
  ['account disabled', 'operator', BY_OPERATOR],
  ['account enabled', 'operator', BY_OPERATOR],
];
const WITH_CAUSES = new Set(CAUSES.map(([kind]) => kind));
/** All other notices have one cause: the owner, or whoever has taken the account. */
const ALL = [
  ...CAUSES,
  ...MAIL_KINDS.filter((kind) => !WITH_CAUSES.has(kind)).map((kind) => [kind, 'owner'] as const),
];

const PAGE = 'https://app.example.org/#token={token}';

async function* writePreviews(config: Config, folder: string): AsyncGenerator<Line> {
  const { passwordResetUrl = PAGE, emailVerificationUrl = PAGE, timeZone, mail } = config;
  const serviceName = mail?.from.name ?? '';
  const frame = mailFrame({ resetUrlTemplate: passwordResetUrl, serviceName, timeZone });
  let written = 0;
  for (const language of MAIL_LANGUAGES) {
    const write = mailWriter(textsIn(language, language), frame);
    await mkdir(path.join(folder, language), { recursive: true });
    for (const { kind, facts, reader, name } of previews()) {
      const template = kind === 'password reset' ? passwordResetUrl : emailVerificationUrl;
      const url = isLink(kind) ? linkUrl(template, 'preview') : undefined;
      const text = write(kind, { at: '2026-05-05T09:05:33Z', ...facts }, reader, url);
      const file = path.join(folder, language, name.replaceAll(' ', '-'));
      await writeFile(`${file}.txt`, `${text.subject}\n\n${messageText(text)}`);
      await writeFile(`${file}.html`, messageHtml(text));
      written += 1;
    }
  }
  yield { text: `Mails written to ${folder}: ${written}.`, json: { folder, written } };
}

/** Every mail by every cause, to every reader who can get it. */
const previews = () =>
  ALL.flatMap(([kind, cause, facts, passkeys]) =>
    ACCESSES.flatMap((access) =>
      [true, false].map((isProven) => ({
        ...{ kind, facts, name: `${kind}.${cause}.${access}${isProven ? '' : '.unproven'}` },
        reader: { access, isProven, passkeys, mayRead: isProven, isFormer: cause.endsWith('to former') },
      })),
    ),
  ).filter(({ kind, reader }) => isWritten(kind, reader));
