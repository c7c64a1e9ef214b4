import { accountMails } from '../../src/auth/account-mails.ts';
import { EmailLinks } from '../../src/auth/emails/email-links.ts';
import { MAIL_LANGUAGES, type MailLanguage, textsIn } from '../../src/auth/mail-texts/languages.ts';
import { ResetTokens } from '../../src/auth/passwords/reset-tokens.ts';
import { noOutbox } from '../../src/mail/outbox.ts';
import { newId } from '../../src/stores/accounts.ts';
import { emailDigest } from '../../src/stores/email-key.ts';
import type { MailOrder } from '../../src/stores/messages.ts';
import { openStores } from '../../src/stores/stores.ts';
import { useDatabase } from '../support/database.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { freshEmail } from '../support/people.ts';
import { rememberPassword } from '../support/response-record.ts';

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
const NEW_EMAIL = 'new@example.org';
const REASON = 'The {host} of page 2 is not readable.';

/** What each kind of mail may know. */
const FACTS: Record<MailOrder['kind'], Record<string, string>[]> = {
  'password reset': [{}],
  'passkey added': [{ at: AT }],
  'passkey removed': [{ at: AT }],
  'e-mail proof': [{}],
  'e-mail change': [{ email: NEW_EMAIL }],
  'e-mail change requested': [{ at: AT }],
  'e-mail in use': [{}],
  'new device': [{ at: AT, browser: 'Firefox', system: 'Android' }, { at: AT, system: 'Windows' }, {}],
  'second factor added': [{ at: AT }],
  'second factor replaced': [{ at: AT }],
  'second factor removed': [{ at: AT }],
  'second factor reset': [{ at: AT }],
  'new recovery codes': [{ at: AT }],
  'recovery code used': [{ at: AT, left: '9' }],
  'few recovery codes': [{ at: AT }],
  'wrong codes': [{ at: AT }],
  'password changed': [{ at: AT }, {}],
  'e-mail changed': [{ at: AT }, { at: 'never' }],
  'doctor decided': [
    { at: AT, status: 'verified' },
    { at: AT, status: 'rejected', reason: REASON },
    { at: AT, status: 'suspended', reason: REASON },
    { at: AT, status: 'correction approved' },
    { at: AT, status: 'correction rejected', reason: REASON },
    { at: AT, status: 'constructor' },
  ],
  'account closed': [{ at: AT }, { at: AT, erasedAt: '2026-06-04T23:59:00Z' }],
};
const ORDERS = Object.entries(FACTS).flatMap(([kind, each]) =>
  each.map((facts) => ({ kind, facts })),
) as Pick<MailOrder, 'kind' | 'facts'>[];

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
    emailChange: { emailDigest: emailDigest(NEW_EMAIL), passwordChangeId: null },
  };
  await opened.database.accounts.insertOne({ ...account, ...fields } as never);
  return account;
}

/** Writes a mail as a delivery does. */
async function write(
  order: MailOrder,
  mailLanguage: MailLanguage = 'en',
  verificationUrlTemplate?: string,
  serviceName = '',
) {
  const { accounts, resetTokens, emailProofs } = openStores(opened);
  const draftMail = accountMails({
    accounts,
    resetTokens: new ResetTokens(resetTokens, new ManualClock()),
    emailLinks: new EmailLinks(emailProofs, new ManualClock()),
    outbox: noOutbox,
    clock: new ManualClock(),
    resetUrlTemplate: 'https://app.example.org/reset#token={token}',
    verificationUrlTemplate,
    mailLanguage,
    serviceName,
  });
  const mail = await (await draftMail(order, ''))?.write();
  rememberPassword(mail?.link?.url.split('=').at(-1));
  return mail;
}

/** The mail of an order to a new account. */
async function writeTo(
  { kind, facts }: Pick<MailOrder, 'kind' | 'facts'>,
  language: unknown,
  mailLanguage?: MailLanguage,
) {
  const { _id: accountId, email } = await anAccount({ language });
  const to = kind === 'password reset' ? { email } : { accountId };
  const mail = await write({ kind, to, ...(facts && { facts }) }, mailLanguage);
  return { language: mail?.language, texts: [mail?.subject ?? '', ...(mail?.paragraphs ?? [])] };
}

describe.each(MAIL_LANGUAGES)('in %s', (name) => {
  test.each(ORDERS)('the mail $kind with $facts is whole', async (order) => {
    const { language, texts } = await writeTo(order, name);
    const { lang, dir } = textsIn(name, 'en');
    expect(language).toEqual({ lang, dir });
    const text = texts.join('\n');
    expect(text.replace(REASON, 'X')).not.toMatch(/[{}]|undefined| [.,]| {2}|^$| $/m);
    expect(text).toContain(' app.example.org');
    expect(text.includes(REASON)).toBe(order.facts?.reason !== undefined);
    expect(text.includes(' 2026 ')).toBe(order.facts?.at === AT);
    const { texts: english } = await writeTo(order, 'en');
    expect(texts).toHaveLength(english.length);
    expect(name === 'en' ? [] : texts.filter((each) => english.includes(each))).toEqual([]);
  });
});

test('a mail names the service and has a link to it, but not to a closed account', async () => {
  const { _id: accountId } = await anAccount({});
  const changed = await write(
    { kind: 'password changed', to: { accountId } },
    'en',
    undefined,
    'North Clinic',
  );
  expect(changed?.paragraphs[1]).toContain('your account at North Clinic (app.example.org) was changed');
  expect(changed?.link).toEqual({ label: 'Log in', url: 'https://app.example.org/' });
  const reset = await write({ kind: 'password reset', to: { accountId } }, 'de', undefined, 'North Clinic');
  expect(reset?.link?.url).toContain('https://app.example.org/reset#token=');
  expect((await write({ kind: 'account closed', to: { accountId } }))?.link).toBeUndefined();
});

test('a time has the form of the language, and its time zone', async () => {
  const order = { kind: 'password changed', facts: { at: AT } } as const;
  expect((await writeTo(order, 'en')).texts[2]).toContain('was changed on 5 May 2026 at 09:05 UTC.');
  expect((await writeTo(order, 'de')).texts[2]).toContain('wurde am 5. Mai 2026 um 09:05 UTC geändert.');
});

test('an account without a language of this release gets MAIL_LANGUAGE', async () => {
  const order = { kind: 'password changed' } as const;
  for (const language of [
    undefined,
    null,
    '',
    'fr',
    'DE',
    'de-AT',
    '__proto__',
    'constructor',
    7,
    ['de'],
    {},
  ]) {
    expect((await writeTo(order, language, 'de')).language?.lang).toBe('de');
    expect((await writeTo(order, language, 'en')).language?.lang).toBe('en');
  }
});

test('the mail to a former address is in the language of the order, because no account has the address', async () => {
  const order = { kind: 'e-mail changed', to: { email: freshEmail() } } as const;
  const former = await write({ ...order, facts: { at: AT, language: 'de' } });
  expect(former).toMatchObject({ language: { lang: 'de' }, subject: 'Ihre E-Mail-Adresse wurde geändert' });
  // As earlier releases order it.
  expect(await write({ ...order, facts: { at: AT } }, 'de')).toMatchObject({ language: { lang: 'de' } });
  expect(former?.paragraphs[1]).toContain('können Sie sich nicht mehr anmelden');
  const present = await writeTo({ kind: order.kind, facts: { at: AT } }, 'de');
  expect(present.texts[2]).toContain('Melden Sie sich von nun an mit dieser Adresse an');
});

test('where e-mails can be proven, only a proven one gets the reason that a reviewer wrote', async () => {
  const confirm = 'https://app.example.org/confirm#{token}';
  const facts = { status: 'rejected', reason: REASON };
  const texts = async (fields: object, template?: string) => {
    const { _id: accountId } = await anAccount(fields);
    const mail = await write({ kind: 'doctor decided', to: { accountId }, facts }, 'en', template);
    return mail?.paragraphs.join('\n') ?? '';
  };
  const email = freshEmail();
  const proven = { email, emailKey: email, emailProof: { emailKey: email, at: new Date(AT) } };
  expect(await texts({}, confirm)).not.toContain(REASON);
  expect(await texts({}, confirm)).toContain('If you did not register');
  expect(await texts(proven, confirm)).toContain(REASON);
  expect(await texts(proven, confirm)).not.toContain('If you did not register');
  expect(await texts({})).toContain(REASON);
});

test('a new language counts for the next mail, and changes nothing else of the account', async () => {
  const updatedAt = new Date(AT);
  const { _id } = await anAccount({ language: 'en', updatedAt });
  const before = await opened.database.accounts.findOne({ _id });
  await openStores(opened).accounts.correct(_id, { language: 'de' }, new Date());
  expect(await opened.database.accounts.findOne({ _id })).toEqual({ ...before, language: 'de' });
  const mail = await write({ kind: 'account closed', to: { accountId: _id } });
  expect(mail?.subject).toBe('Ihr Konto wurde geschlossen');
});
