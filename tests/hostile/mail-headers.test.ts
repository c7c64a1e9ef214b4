import fc from 'fast-check';
import { isEmailAddress } from '../../src/auth/email-address.ts';
import { failureOf } from '../../src/mail/mail-failures.ts';
import type { WrittenMessage } from '../../src/mail/message.ts';
import { type MailTransport, openSmtp } from '../../src/mail/smtp.ts';
import { ENGLISH } from '../support/mailroom.ts';
import { type ReceivedMail, useSmtpServer } from '../support/smtp-server.ts';

const server = useSmtpServer();

const ADDRESS = 'ada@example.org';
const CREATED_AT = new Date('2026-01-31T12:00:00Z');

let transport: MailTransport;
beforeAll(() => {
  const from = { name: 'Clinic', address: 'clinic@example.org' };
  const smtp = { host: '127.0.0.1', port: server.port, security: 'none', credentials: undefined } as const;
  transport = openSmtp({ smtp, from });
});
afterAll(() => transport.close());

/** Sends a message with these differences from a harmless one. */
async function sendWith(changes: Partial<WrittenMessage>): Promise<void> {
  const text = { language: ENGLISH, subject: 'Hello', paragraphs: ['Hello.'] };
  const message = { to: { name: 'Ada', address: ADDRESS }, ...text };
  const { signal } = new AbortController();
  await transport.send({ ...message, ...changes }, { id: 'id', createdAt: CREATED_AT }, signal);
}

/** Sends one, and returns the only mail that the server has received. */
async function sendOne(changes: Partial<WrittenMessage>): Promise<ReceivedMail> {
  const before = server.mails.length;
  await sendWith(changes);
  expect(server.mails).toHaveLength(before + 1);
  return server.mails.at(-1) as ReceivedMail;
}

/** The names of the headers of a harmless mail, in their order. */
const HEADERS = [
  'auto-submitted',
  'from',
  'to',
  'subject',
  'message-id',
  'date',
  'mime-version',
  'content-type',
];

function expectHarmless({ recipients, sender, to, headers }: ReceivedMail, address = ADDRESS): void {
  expect(recipients).toEqual([address]);
  expect(sender).toBe('clinic@example.org');
  expect(to).toHaveLength(1);
  expect(Object.keys(headers).sort()).toEqual([...HEADERS].sort());
}

const HOSTILE_TEXTS = [
  'A\r\nBcc: eve@example.net',
  'A\nBcc: eve@example.net\n\nAnother body',
  'A\u2028Bcc: eve@example.net',
  'A\0B',
  'eve@example.net, Ada',
  'Ada <eve@example.net>',
  '"Ada" <eve@example.net>,',
  'a "quoted\\" name',
  'group: eve@example.net, mallory@example.net;',
  '(comment) Ada',
  '=?utf-8?q?A=0D=0ABcc:_eve@example.net?=',
  'Zoë Ångström 你好 👩‍⚕️',
  'half a pair \ud83d',
  '\u202egnp.exe',
  'x'.repeat(100_000),
  '"'.repeat(20_000),
  ',a@b'.repeat(5_000),
  'é\r\n '.repeat(5_000),
];

test('no name makes a header or a recipient', async () => {
  for (const name of HOSTILE_TEXTS) {
    const mail = await sendOne({ to: { name, address: ADDRESS } });
    expectHarmless(mail);
    expect(mail.to[0]?.address).toBe(ADDRESS);
  }
});

test('no subject makes a header or a recipient', async () => {
  for (const subject of HOSTILE_TEXTS) {
    expectHarmless(await sendOne({ subject }));
  }
});

test('a name and a subject arrive as they are', async () => {
  const name = 'Zoë "Z" Ångström, M.D. <zoë@x> 👩‍⚕️';
  const subject = 'Ihr Passwort wurde geändert: „ja“';
  const mail = await sendOne({ to: { name, address: ADDRESS }, subject });
  expect(mail.to).toEqual([{ name, address: ADDRESS }]);
  expect(mail.subject).toBe(subject);
});

/** The lines of the envelope that the server was sent, for one message. */
async function envelopeFor(address: string): Promise<string[]> {
  const before = server.commands.length;
  // The server of the tests refuses blanks and at signs in quotes, which other servers accept.
  await sendWith({ to: { name: 'Ada', address } }).catch((error: unknown) =>
    expect(failureOf(error)).toMatchObject({ kind: 'refused', detail: { responseCode: 501 } }),
  );
  return server.commands.slice(before).filter((line) => /^(MAIL|RCPT)/.test(line));
}

test.each([
  ["o'brien+tag@example.org", "o'brien+tag@example.org"],
  ['ada@müller.example', 'ada@xn--mller-kva.example'],
  ['ä@müller.example', 'ä@müller.example'],
  ['a,b@example.org', '"a,b"@example.org'],
  ['"a b"@example.org', '"a b"@example.org'],
  ['a b@example.org', '"a b"@example.org'],
  ['"a@evil.example"@example.org', '"a@evil.example"@example.org'],
  ['eve@example.net,ada@example.org', '"eve@example.net,ada"@example.org'],
  ['eve@example.net ada@example.org', '"eve@example.net ada"@example.org'],
  ['group:eve@example.net;ada@example.org', '"group:eve@example.net;ada"@example.org'],
  ['"\\"@example.net, ada@example.org', '"\\"\\\\\\"@example.net, ada"@example.org'],
])('the address %j is one recipient, %j', async (address, recipient) => {
  expect(await envelopeFor(address)).toEqual([
    expect.stringMatching(/^MAIL FROM:<clinic@example\.org>/),
    `RCPT TO:<${recipient}>`,
  ]);
});

test('an address that is no mailbox is refused for good, and nothing is sent', async () => {
  const addresses = [
    '',
    'ada',
    '@example.org',
    'ada@example.org\r\nRCPT TO:<eve@example.net>',
    'ada@example.org> NOTIFY=NEVER',
    '<ada@example.org>',
    'Ada <ada@example.org>',
    'ada@example.org, example.net',
    'ada@[127.0.0.1]',
    'ada@"example.org"',
    'ada@example.org\0',
    `${'a'.repeat(700)}@example.org`,
    `${',<a@b>'.repeat(50_000)}@example.org`,
  ];
  const before = server.commands.length;
  for (const address of addresses) {
    const failure = await sendWith({ to: { name: 'Ada', address } }).catch(failureOf);
    expect(failure).toEqual({ kind: 'refused', detail: { reason: 'the address cannot be mailed to' } });
  }
  expect(server.commands).toHaveLength(before);
});

test('every address that an account can have is exactly one recipient, with its own domain', async () => {
  const accepted = fc
    .tuple(fc.emailAddress(), fc.stringMatching(/^[ -~éß]{0,3}$/))
    .map(([email, more]) => `${more}${email}`)
    .filter(isEmailAddress);
  await fc.assert(
    fc.asyncProperty(accepted, fc.string({ unit: 'binary', maxLength: 40 }), async (address, name) => {
      const { recipients, to } = await sendOne({ to: { name, address } });
      expect([recipients.length, to.length]).toEqual([1, 1]);
      expect(recipients[0]?.toLowerCase().split('@').at(-1)).toBe(address.toLowerCase().split('@').at(-1));
    }),
    { numRuns: 40 },
  );
});

test('a paragraph or a link adds no part, and the HTML escapes both', async () => {
  const mail = await sendOne({
    paragraphs: ['</p><script>alert(1)</script>\u0007', '--nm--\r\n.\r\nMAIL FROM:<eve@example.net>'],
    link: { label: '"><img src=x>', url: 'https://example.org/"><img src=x>' },
  });
  expectHarmless(mail);
  expect(mail.html).not.toMatch(/<script|<img/);
  expect(mail.html).not.toContain('\u0007');
  expect(mail.text).toContain('\n.\nMAIL FROM:<eve@example.net>');
  await expect(sendOne({ link: { label: 'x', url: 'javascript:alert(1)' } })).rejects.toThrow(
    'the link of a mail must be an http or https address',
  );
});
