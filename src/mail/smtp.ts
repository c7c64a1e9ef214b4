import type { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import type MimeNode from 'nodemailer/lib/mime-node';
import type SmtpConnection from 'nodemailer/lib/smtp-connection';
import { composeMail, type Mailbox, type MessageIdentity, type WrittenMessage } from './message.ts';

/** How a connection to the mail server is protected: from its start, by STARTTLS and not without, or not at all. */
export type SmtpSecurity = 'tls' | 'starttls' | 'none';

/** The mail server (SMTP_URL). */
export interface SmtpSettings {
  host: string;
  port: number;
  security: SmtpSecurity;
  credentials: { user: string; pass: string } | undefined;
}

/** The mail server, and the sender of all mails. */
export interface MailSettings {
  smtp: SmtpSettings;
  /** MAIL_FROM. */
  from: Mailbox;
}

/** Sends mails. */
export interface MailTransport {
  /**
   * @param signal ends the attempt
   * @throws UndeliverableError, NoConnectionError, and the errors of nodemailer (mail-failures.ts)
   */
  send(message: WrittenMessage, identity: MessageIdentity, signal: AbortSignal): Promise<void>;
  /** Closes idle connections at once, and those in use after their mail. */
  close(): void;
}

/** A transport whose mail server can be replaced. */
interface ReplaceableTransport extends MailTransport {
  /** Sends the next mails by these settings. A mail that is being sent is not interrupted. */
  replace(settings: MailSettings): void;
}

/** Opens a transport. It connects with the first mail. */
export function openSmtp(settings: MailSettings): ReplaceableTransport {
  let current = settings;
  let connections = new SmtpConnections(current.smtp);
  return {
    send: async (message, identity, signal) => {
      const [{ from }, used] = [current, connections];
      await used.send(await composeMail(message, identity, from), signal);
    },
    replace: (replacement) => {
      if (isDeepStrictEqual(current, replacement)) {
        return;
      }
      connections.close();
      current = replacement;
      connections = new SmtpConnections(current.smtp);
    },
    close: () => connections.close(),
  };
}

/** How long a connection waits for the next mail. */
const IDLE_MILLIS = 30_000;

/** A connection that waits for the next mail. */
interface Idle {
  connection: SmtpConnection;
  /** Ends the wait. */
  stop(): void;
}

/**
 * The connections to one mail server. Unlike nodemailer's pool, it says which failures came before the mail, and tries a mail
 * on a second connection only if the first one was idle before.
 */
class SmtpConnections {
  #idle: Idle[] = [];
  #isClosed = false;

  constructor(private readonly smtp: SmtpSettings) {}

  /**
   * Sends a mail.
   * @throws NoConnectionError before the mail; after that nodemailer's errors (mail-failures.ts)
   */
  async send(mime: MimeNode, signal: AbortSignal): Promise<void> {
    const idle = this.#takeIdle();
    if (idle) {
      const stream = mime.createReadStream();
      try {
        return await this.#sendBy(idle, mime, stream, signal);
      } catch (error) {
        if (stream.readableDidRead || !isClosedMeanwhile(error)) {
          throw error;
        }
      }
    }
    const connection = await openConnection(this.smtp, signal);
    await this.#sendBy(connection, mime, mime.createReadStream(), signal);
  }

  /** Closes idle connections at once, and those in use after their mail. */
  close(): void {
    this.#isClosed = true;
    for (let idle = this.#takeIdle(); idle; idle = this.#takeIdle()) {
      idle.quit();
    }
  }

  async #sendBy(
    connection: SmtpConnection,
    mime: MimeNode,
    stream: Readable,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await untilDone(connection, signal, (done) => connection.send(mime.getEnvelope(), stream, done));
    } catch (error) {
      connection.close();
      throw error;
    }
    if (this.#isClosed) {
      connection.quit();
    } else {
      this.#keep(connection);
    }
  }

  #keep(connection: SmtpConnection): void {
    const stop = () => {
      clearTimeout(timer);
      connection.off('end', stop);
      this.#idle = this.#idle.filter((idle) => idle.connection !== connection);
    };
    const timer = setTimeout(() => {
      stop();
      connection.quit();
    }, IDLE_MILLIS).unref();
    connection.once('end', stop);
    this.#idle.push({ connection, stop });
  }

  #takeIdle(): SmtpConnection | undefined {
    const idle = this.#idle.at(-1);
    idle?.stop();
    return idle?.connection;
  }
}

/** Failures of a connection that the server may have closed while it was idle. A server that was silent gets no second try. */
const OF_CLOSED: readonly unknown[] = ['ECONNECTION', 'ESOCKET'];

const isClosedMeanwhile = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && OF_CLOSED.includes(error.code);

/** The mail server was not reached, or did not let the gateway in. No mail can be sent. The cause is nodemailer's error. */
export class NoConnectionError extends Error {
  constructor(cause: unknown) {
    super('the mail server cannot be used', { cause });
    this.name = 'NoConnectionError';
  }
}

/** Limits in real time, because a server at the other end keeps them: connecting with TLS, the greeting, silence. */
const LIMITS = {
  dnsTimeout: 5_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
  socketCloseTimeout: 1_000,
};

/**
 * Connects to a mail server and logs in.
 * @param signal closes the connection
 * @throws NoConnectionError
 */
async function openConnection(smtp: SmtpSettings, signal: AbortSignal): Promise<SmtpConnection> {
  const { default: Connection } = await import('nodemailer/lib/smtp-connection');
  const { host, port, security, credentials } = smtp;
  const connection = new Connection({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...LIMITS,
  });
  // Errors that come late, such as that of a connection that is idle. Without a listener they would end the process.
  connection.on('error', () => {});
  try {
    await untilDone(connection, signal, (done) => connection.connect(done));
    if (credentials) {
      await untilDone(connection, signal, (done) => connection.login({ ...credentials }, done));
    }
    return connection;
  } catch (error) {
    connection.close();
    throw new NoConnectionError(error);
  }
}

type Done = (failure?: Error | null) => void;

/**
 * Waits for a step of a connection.
 * @throws nodemailer's error; another one when the signal or the server ends the connection
 */
async function untilDone(
  connection: SmtpConnection,
  signal: AbortSignal,
  begin: (done: Done) => void,
): Promise<void> {
  signal.throwIfAborted();
  let fail: (error: Error) => void = () => {};
  // The error that says why a connection ends may come after its end.
  const ended = () => void setImmediate(() => fail(new Error('the connection was closed')));
  const abort = () => {
    fail(new Error('the attempt was ended'));
    connection.close();
  };
  try {
    await new Promise<void>((resolve, reject) => {
      fail = reject;
      signal.addEventListener('abort', abort, { once: true });
      connection.once('error', fail).once('end', ended);
      begin((failure) => (failure ? reject(failure) : resolve()));
    });
  } finally {
    signal.removeEventListener('abort', abort);
    connection.off('error', fail).off('end', ended);
  }
}

/**
 * Connects to a mail server and logs in, as the delivery does, and sends nothing.
 * @param signal closes the connection
 * @throws NoConnectionError
 */
export async function tryLogin(smtp: SmtpSettings, signal: AbortSignal): Promise<void> {
  const connection = await openConnection(smtp, signal);
  connection.quit();
  connection.close();
}
