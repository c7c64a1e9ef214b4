import { accountMails } from '../../src/auth/account-mails.ts';
import { EmailLinkTokens } from '../../src/auth/emails/email-link-tokens.ts';
import { InvitationUse } from '../../src/auth/invitation-use.ts';
import { MAIL_LANGUAGES, type MailLanguage, textsIn } from '../../src/auth/mail-texts/languages.ts';
import { PasswordResetTokens } from '../../src/auth/passwords/password-reset-tokens.ts';
import { noOutbox } from '../../src/mail/outbox.ts';
import { newId } from '../../src/stores/accounts.ts';
import type { MessageOrder } from '../../src/stores/messages.ts';
import { openStores } from '../../src/stores/stores.ts';
import { createLog } from '../../src/system/log.ts';
import { useDatabase } from '../support/database.ts';
import { A_NOTE } from '../support/event-note.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { freshEmail } from '../support/people.ts';
import { storesWrongRecords } from '../support/record-definitions.ts';
import { rememberPassword } from '../support/response-record.ts';

storesWrongRecords();

const opened = useDatabase();

/** Each text with its placeholders, by the names of all keys on the way to it. */
function placeholdersIn(texts: object, path = ''): [key: string, placeholders: string[]][] {
  return Object.entries(texts).flatMap(([key, value]: [string, unknown]) =>
    typeof value === 'string'
      ? [[path + key, (value.match(/\{.*?\}/g) ?? []).sort()] as [string, string[]]]
      : placeholdersIn(Object(value), `${path + key} > `),
  );
}

describe.each(MAIL_LANGUAGES)('the texts in %s', (language) => {
  const texts = textsIn(language, 'en');

  test('have the keys and the placeholders of English', () => {
    const english = placeholdersIn(textsIn('en', 'en'));
    expect(english.length).toBeGreaterThan(20);
    expect(english).toContainEqual(['on', ['{date}', '{time}']]);
    expect(placeholdersIn(texts)).toEqual(english);
    expect(
      placeholdersIn(texts)
        .flatMap(([, names]) => names.join(''))
        .join(),
    ).not.toMatch(/[^\w{},]/);
  });

  test('name the language as HTML and Intl do', () => {
    expect(texts.lang).toBe(language);
    expect(Intl.getCanonicalLocales(texts.lang)).toEqual([texts.lang]);
    expect(Intl.DateTimeFormat.supportedLocalesOf(texts.dates)).toEqual([texts.dates]);
    const isRightToLeft = ['ar', 'fa', 'he', 'ur'].includes(language);
    expect(texts.dir).toBe(isRightToLeft ? 'rtl' : 'ltr');
  });
});

const AT = '2026-05-05T09:05:33.000Z';
const REASON = 'The {host} of page 2 is not readable.';

/** Stores an account as this and other releases do. */
async function anAccount(fields: object) {
  const email = freshEmail();
  const account = {
    _id: newId(),
    name: 'Pat Ient',
    email,
    emailKey: email,
    role: 'patient',
    disabledAt: null,
  };
  await opened.database.accounts.insertOne({ ...account, ...fields } as never);
  return account;
}

/** Writes a mail as a delivery does. */
async function write(order: MessageOrder, settings: Partial<Parameters<typeof accountMails>[0]> = {}) {
  const { accounts, invitations, resetTokens, emailLinks } = openStores(opened);
  const clock = new ManualClock();
  const draftMail = accountMails({
    accounts,
    passwordResetTokens: new PasswordResetTokens(resetTokens, new ManualClock()),
    emailLinkTokens: new EmailLinkTokens(emailLinks, new ManualClock()),
    invitations,
    invitationUse: new InvitationUse({
      accounts,
      invitations,
      clock,
      log: createLog('silent', { write: () => {} }),
    }),
    invitationUrl: undefined,
    outbox: noOutbox,
    clock,
    passwordResetUrl: 'https://app.example.org/reset#token={token}',
    ...{ emailVerificationUrl: undefined, peopleUrl: undefined, serviceName: '', timeZone: 'UTC' },
    ...{ mailLanguage: 'en', ...settings },
  });
  const mail = await (await draftMail(order, ''))?.write();
  rememberPassword(mail?.link?.url.split('=').at(-1));
  return mail;
}

/** The mail of an order to a new account. */
async function writeTo(
  { kind, facts }: Pick<MessageOrder, 'kind' | 'facts'>,
  language: unknown,
  mailLanguage: MailLanguage = 'en',
) {
  const { _id: accountId } = await anAccount({ language });
  const mail = await write({ kind, to: { accountId }, ...(facts && { facts }) }, { mailLanguage });
  return { language: mail?.language, texts: [mail?.subject ?? '', ...(mail?.paragraphs ?? [])] };
}

test('a mail names the service and has a link to it, but not to a closed account', async () => {
  const { _id: accountId } = await anAccount({});
  const order = { kind: 'password changed', to: { accountId } } as const;
  const changed = await write(order, { serviceName: 'North Clinic' });
  expect(changed?.paragraphs[0]).toContain('your account at North Clinic (app.example.org) was changed');
  expect(changed?.link).toEqual({ label: 'Log in', url: 'https://app.example.org/' });
  const reset = await write({ ...order, kind: 'password reset' }, { serviceName: 'North Clinic' });
  expect(reset?.link?.url).toContain('https://app.example.org/reset#token=');
  const peopleUrl = 'https://login.example.org/people';
  expect((await write(order, { peopleUrl }))?.link?.url).toBe(peopleUrl);
});

test('a time has the form of the language, in TIME_ZONE and with its name', async () => {
  const { _id: accountId } = await anAccount({});
  const order = { kind: 'password changed', to: { accountId }, facts: { at: AT } } as const;
  const timeIn = async (mailLanguage: MailLanguage, timeZone = 'UTC') =>
    (await write(order, { mailLanguage, timeZone }))?.paragraphs[0];
  expect(await timeIn('en')).toContain('was changed on 5 May 2026 at 09:05 UTC.');
  expect(await timeIn('de')).toContain('wurde am 5. Mai 2026 um 09:05 UTC geändert.');
  expect(await timeIn('de', 'Europe/Berlin')).toContain('um 11:05 MESZ geändert.');
  expect(await timeIn('en', 'Asia/Kolkata')).toContain('at 14:35 India Standard Time.');
});

test('a mail about what is not so any more, or to an account that is being erased, is not written', async () => {
  const orderTo = async (fields: object, kind: MessageOrder['kind'], at = AT) =>
    write({ kind, to: { accountId: (await anAccount(fields))._id }, facts: { at } });
  const disabledAt = new Date(AT);
  const erased = { disabledAt, erasureDueAt: disabledAt, erasingSince: disabledAt };
  expect(await orderTo({ disabledAt }, 'account disabled')).toBeDefined();
  for (const unwritten of [
    orderTo({}, 'account disabled'),
    // It was enabled, and disabled again.
    orderTo({ disabledAt }, 'account disabled', '2026-05-05T09:05:32.000Z'),
    orderTo({ disabledAt }, 'account enabled'),
    orderTo({}, 'account closed'),
    ...['account disabled', 'account closed', 'password changed', 'password reset'].map((kind) =>
      orderTo({ ...erased, closedByOwner: true }, kind as MessageOrder['kind']),
    ),
  ]) {
    expect(await unwritten).toBeUndefined();
  }
});

test('an account without a language of this release gets MAIL_LANGUAGE', async () => {
  const order = { kind: 'password changed' } as const;
  const texts = ['', 'fr', 'DE', 'de-AT', '__proto__', 'constructor'];
  for (const language of [undefined, null, ...texts, 7, ['de'], {}]) {
    expect((await writeTo(order, language, 'de')).language?.lang).toBe('de');
    expect((await writeTo(order, language, 'en')).language?.lang).toBe('en');
  }
});

test('the mail to a former address is in the language of the order, because no account has the address', async () => {
  const order = { kind: 'e-mail changed', to: { email: freshEmail() } } as const;
  const former = await write({ ...order, facts: { at: AT, language: 'de' } });
  expect(former).toMatchObject({ language: { lang: 'de' }, subject: 'Ihre E-Mail-Adresse wurde geändert' });
  // As earlier releases order it.
  expect(await write({ ...order, facts: { at: AT } }, { mailLanguage: 'de' })).toMatchObject({
    language: { lang: 'de' },
  });
  expect(former?.paragraphs[0]).toContain('können Sie sich nicht mehr anmelden');
  const present = await writeTo({ kind: order.kind, facts: { at: AT } }, 'de');
  expect(present.texts[1]).toContain('Melden Sie sich von nun an mit dieser Adresse an');
});

test('where e-mails can be proven, only a proven one gets the reason that a reviewer wrote', async () => {
  const confirm = 'https://app.example.org/confirm#{token}';
  const facts = { status: 'rejected', reason: REASON };
  const texts = async (fields: object, emailVerificationUrl?: string) => {
    const { _id: accountId } = await anAccount(fields);
    const order = { kind: 'doctor decided', to: { accountId }, facts } as const;
    const mail = await write(order, { emailVerificationUrl });
    return mail?.paragraphs.join('\n') ?? '';
  };
  const email = freshEmail();
  const proven = { email, emailKey: email, emailProof: { emailKey: email, at: new Date(AT) } };
  expect(await texts({}, confirm)).not.toContain(REASON);
  expect(await texts({}, confirm)).toContain('If this account is not yours');
  expect(await texts(proven, confirm)).toContain(REASON);
  expect(await texts(proven, confirm)).not.toContain('If this account is not yours');
  expect(await texts({})).toContain(REASON);
});

test('a new language counts for the next mail, and changes nothing else of the account', async () => {
  const updatedAt = new Date(AT);
  const { _id } = await anAccount({ language: 'en', updatedAt });
  const before = await opened.database.accounts.findOne({ _id });
  await openStores(opened).accounts.correct(_id, { language: 'de' }, new Date(), A_NOTE);
  expect(await opened.database.accounts.findOne({ _id })).toEqual({
    ...before,
    language: 'de',
    eventNotes: [A_NOTE],
  });
  const mail = await write({ kind: 'password changed', to: { accountId: _id } });
  expect(mail?.subject).toBe('Ihr Passwort wurde geändert');
});
