import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import { Events } from './events.ts';
import { freePort } from './listen.ts';

/** A mail as the server has received it. */
export interface ReceivedMail {
  /** The recipients of the envelope: who gets the mail, whatever its headers say. */
  recipients: string[];
  /** The sender of the envelope. */
  sender: string;
  /** The mailboxes of the header `To`. */
  to: { name: string; address: string }[];
  from: { name: string; address: string };
  subject: string;
  /** Without line breaks at its end. */
  text: string;
  html: string;
  /** All headers, by name in lower case; those of a name that comes several times are joined by line breaks. */
  headers: Readonly<Record<string, string>>;
  /** As it came. */
  raw: string;
  /** True if it came over TLS. */
  isSecure: boolean;
  /** Who logged in at the server; undefined if nobody did. */
  user: string | undefined;
}

/** A step of SMTP at which a server may refuse. */
type Step = 'connect' | 'sender' | 'recipient' | 'data';

/** A real SMTP server on loopback. */
export interface SmtpTestServer {
  /** For SMTP_URL. The port stays the same after a stop and a start. */
  readonly url: string;
  readonly port: number;
  /** All mails that it has accepted, the oldest first. */
  readonly mails: readonly ReceivedMail[];
  /** The lines of all clients, but not those of mails. */
  readonly commands: readonly string[];
  /** How many clients are connected. */
  readonly connections: number;
  /** Waits for the next mail that no earlier call has returned. */
  nextMail(): Promise<ReceivedMail>;
  /** Waits for the next refusal that no earlier call has returned. */
  nextRefusal(): Promise<void>;
  /** Refuses from now on, with this SMTP code and text. Without a code it accepts again. */
  refuse(code?: number, text?: string, step?: Step): void;
  /**
   * Spoils the exchange about a recipient from now on: the connection is cut, or there is no answer.
   * @param how undefined ends that
   */
  spoil(address: string, how: 'cut' | 'silence' | undefined): void;
  /** How often an exchange was spoiled. */
  readonly spoiled: number;
  /**
   * Keeps every mail back between its last byte and the answer, until the returned function is called.
   * @param act is called with each of them
   */
  hold(act: () => void): () => void;
  /** Closes it and all its connections, as if the machine was away. Connections are refused then. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

async function parse(raw: string, session: SMTPServerSession): Promise<ReceivedMail> {
  const { from, to, subject, text = '', html = '', headers } = await PostalMime.parse(raw);
  const { mailFrom, rcptTo } = session.envelope;
  const byName: Record<string, string> = {};
  for (const { key, value } of headers) {
    byName[key] = key in byName ? `${byName[key]}\n${value}` : value;
  }
  const mailbox = (address: { name: string; address?: string | undefined } | undefined) => ({
    name: address?.name ?? '',
    address: address?.address ?? '',
  });
  return {
    recipients: rcptTo.map(({ address }) => address),
    sender: mailFrom ? mailFrom.address : '',
    to: (to ?? []).map(mailbox),
    from: mailbox(from),
    subject: subject ?? '',
    text: text.trimEnd(),
    html,
    headers: byName,
    raw,
    isSecure: session.secure,
    user: session.user as string | undefined,
  };
}

const nothing = () => {};
const SILENT = { trace: nothing, info: nothing, warn: nothing, error: nothing, fatal: nothing };

/**
 * Starts a server. It accepts mails without a login and without TLS.
 * @param options of npm's smtp-server, for example `{ secure: true, key, cert }`
 */
export async function startSmtpServer(options: SMTPServerOptions = {}): Promise<SmtpTestServer> {
  const port = await freePort();
  const mails: ReceivedMail[] = [];
  const commands: string[] = [];
  const arrivals = new Events<ReceivedMail>();
  const refusals = new Events<true>();
  let refusal: { code: number; text: string; step: Step } | undefined;
  let held: { act: () => void; released: Promise<void> } | undefined;

  const spoiling = new Map<string, 'cut' | 'silence'>();
  let spoiled = 0;
  /** @returns false for a recipient whose exchange continues as usual */
  const spoil = (address: string, { id }: SMTPServerSession): boolean => {
    const how = spoiling.get(address);
    if (how === undefined) {
      return false;
    }
    spoiled += 1;
    if (how === 'cut') {
      for (const connection of server.connections) {
        if (connection.id === id) {
          connection._socket.destroy();
        }
      }
    }
    return true;
  };
  const judge = (step: Step): Error | null => {
    if (refusal?.step !== step) {
      return null;
    }
    refusals.push(true);
    return Object.assign(new Error(refusal.text), { responseCode: refusal.code });
  };
  const receive = async (raw: string, session: SMTPServerSession) => {
    if (held) {
      const { act, released } = held;
      act();
      await released;
    }
    const error = judge('data');
    if (error) {
      return error;
    }
    const mail = await parse(raw, session);
    mails.push(mail);
    arrivals.push(mail);
    return null;
  };
  const open = () =>
    new SMTPServer({
      authOptional: true,
      allowInsecureAuth: true,
      disabledCommands: options.key === undefined ? ['STARTTLS'] : [],
      // It would look up the name of the client.
      disableReverseLookup: true,
      closeTimeout: 1,
      logger: {
        ...SILENT,
        debug: (_entry, kind, line) => void (kind === 'C:' && commands.push(String(line))),
      },
      onConnect: (_session, done) => done(judge('connect')),
      onAuth: ({ username }, _session, done) => done(null, { user: username }),
      onMailFrom: (_address, _session, done) => done(judge('sender')),
      onRcptTo: ({ address }, session, done) => spoil(address, session) || done(judge('recipient')),
      onData: (stream, session, done) => {
        text(stream)
          .then((raw) => receive(raw, session))
          .then((error) => done(error), done);
      },
      ...options,
    }).on('error', () => {});
  let server = open();
  const start = async () => {
    server = open();
    server.listen(port, '127.0.0.1');
    await once(server.server, 'listening');
  };
  await start();
  return {
    port,
    url: `${options.secure ? 'smtps' : 'smtp'}://127.0.0.1:${port}`,
    mails,
    commands,
    get connections() {
      return server.connections.size;
    },
    nextMail: () => arrivals.next(),
    nextRefusal: async () => void (await refusals.next()),
    refuse: (code, text = 'Refused', step = 'recipient') => {
      refusal = code === undefined ? undefined : { code, text, step };
    },
    spoil: (address, how) => void (how ? spoiling.set(address, how) : spoiling.delete(address)),
    get spoiled() {
      return spoiled;
    },
    hold: (act) => {
      let release = () => {};
      held = {
        act,
        released: new Promise<void>((resolve) => {
          release = resolve;
        }),
      };
      return () => {
        held = undefined;
        release();
      };
    },
    start,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** A server for all tests of the file or block that this is called in. */
export function useSmtpServer(options: SMTPServerOptions = {}): SmtpTestServer {
  const used = {} as { server?: SmtpTestServer };
  beforeAll(async () => {
    used.server = await startSmtpServer(options);
  });
  afterAll(() => used.server?.stop());
  return new Proxy({} as SmtpTestServer, {
    get: (_target, name) => {
      if (!used.server) {
        throw new Error('the mail server runs only while the tests do');
      }
      return Reflect.get(used.server, name);
    },
  });
}
