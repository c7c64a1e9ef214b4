import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { mailFrame } from '../auth/account-mails.ts';
import { linkUrl } from '../auth/link-tokens.ts';
import { MAIL_LANGUAGES, textsIn } from '../auth/mail-texts/languages.ts';
import { ACCESSES, isLink, isWritten, type MailFacts, mailWriter } from '../auth/mail-texts/mail-writer.ts';
import { BY_OPERATOR } from '../auth/owner-notices.ts';
import { type Config, readConfig } from '../config/config.ts';
import { messageHtml, messageText } from '../mail/message.ts';
import { MAIL_KINDS, type MessageKind } from '../stores/messages.ts';
import { type Action, type CommandGroup, runnerOf, UsageError } from './command-line.ts';
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
function preparePreview(folder = ''): Action {
  if (folder === '') {
    throw new UsageError('Say where to: --out DIR.');
  }
  return async ({ environment, isJson, stdout }) => {
    await printAll(writePreviews(readConfig(environment()), folder), isJson, stdout);
    return 0;
  };
}

/** The causes of mails. Every other kind has one cause: somebody with the owner's access. */
const CAUSES: { [kind in MessageKind]?: readonly string[] } = {
  'password reset': ['owner', 'operator'],
  'password changed': ['owner', 'owner with passkeys'],
  'e-mail change': ['owner', 'operator'],
  'e-mail change requested': ['owner to former', 'operator to former'],
  'e-mail changed': ['owner to former', 'operator to former', 'operator to new'],
  'new device': ['browser to former', 'program to former'],
  'second factor removed': ['owner', 'owner with passkeys'],
  'second factor reset': ['operator'],
  'passkey removed': ['owner', 'operator'],
  'doctor decided': [
    ...['verified', 'verified until', 'end removed', 'rejected', 'rejected in part', 'rejected with grounds'],
    ...['suspended', 'correction approved', 'correction rejected', 'proposal rejected'],
  ],
  'verification ends': ['until'],
  'account closed': ['owner', 'operator'],
  'account disabled': ['operator'],
  'account enabled': ['operator'],
  invitation: ['doctor', 'patient'],
};

/** What an order has by its cause. A text takes of it what it needs. */
const factsOf = (cause: string): MailFacts => ({
  ...{ at: '2026-05-05T09:05:33Z', erasedAt: '2026-06-04T09:05:33Z', left: '7' },
  ...(cause.startsWith('operator') && BY_OPERATOR),
  ...(cause.startsWith('browser') && { browser: 'Firefox', system: 'Android' }),
  role: cause,
  status: cause.replace(/ in part| until| with grounds/, ''),
  ...(cause.endsWith('with grounds') && { grounds: 'unreadable name-differs' }),
  ...(cause.endsWith('until') && { until: '2027-05-31T22:00:00Z' }),
  ...(cause.endsWith('in part') && { documents: 'license diploma' }),
  ...(/rejected|suspended/.test(cause) && { reason: 'One page is missing.' }),
});

const PAGE = 'https://app.example.org/#token={token}';

async function* writePreviews(config: Config, folder: string): AsyncGenerator<Line> {
  const { passwordResetUrl = PAGE, emailVerificationUrl = PAGE, people, timeZone, mail, brand } = config;
  const serviceName = mail?.from.name ?? brand?.name ?? '';
  const frame = mailFrame({ passwordResetUrl, peopleUrl: people?.url, serviceName, timeZone, brand });
  let written = 0;
  for (const language of MAIL_LANGUAGES) {
    const write = mailWriter(textsIn(language, language), frame);
    await mkdir(path.join(folder, language), { recursive: true });
    for (const { kind, cause, reader, name } of previews()) {
      const template = kind === 'password reset' ? passwordResetUrl : emailVerificationUrl;
      const url = isLink(kind) ? linkUrl(template, 'preview') : undefined;
      const text = write(kind, factsOf(cause), reader, url);
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
  MAIL_KINDS.flatMap((kind) => (CAUSES[kind] ?? ['owner']).map((cause) => ({ kind, cause })))
    .flatMap(({ kind, cause }) =>
      ACCESSES.flatMap((access) =>
        [true, false].map((isProven) => ({
          ...{ kind, cause, name: `${kind}.${cause}.${access}${isProven ? '' : '.unproven'}` },
          reader: {
            ...{ access, isProven, mayRead: isProven, isFormer: cause.endsWith('to former') },
            passkeys: cause.endsWith('with passkeys') ? 2 : 0,
          },
        })),
      ),
    )
    .filter(({ kind, reader }) => isWritten(kind, reader));
