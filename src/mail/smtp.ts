import { composeMail, type Mailbox, type Postmark } from './compose-mail.ts';
import type { Letter } from './letter.ts';
import { openConnection, SmtpConnections, type SmtpSettings } from './smtp-connections.ts';

/** All that sending needs to know. */
export interface MailSettings {
  smtp: SmtpSettings;
  /** MAIL_FROM. */
  from: Mailbox;
}

/** Sends mails. */
export interface MailTransport {
  /**
   * @param signal ends the attempt
   * @throws UndeliverableError, NoConnectionError, and the errors of nodemailer (smtp-failure.ts)
   */
  send(letter: Letter, postmark: Postmark, signal: AbortSignal): Promise<void>;
  /** Closes idle connections at once, and those in use after their mail. */
  close(): void;
}

/** A transport whose mail server can be replaced. */
export interface ReplaceableTransport extends MailTransport {
  /** Sends the next mails by these settings. A mail that is being sent is not interrupted. */
  replace(settings: MailSettings): void;
}

/** Opens a transport. It connects with the first mail. */
export function openSmtp(settings: MailSettings): ReplaceableTransport {
  let current = settings;
  let connections = new SmtpConnections(current.smtp);
  return {
    send: async (letter, postmark, signal) => {
      const [{ from }, used] = [current, connections];
      await used.send(await composeMail(letter, postmark, from), signal);
    },
    replace: (replacement) => {
      connections.close();
      current = replacement;
      connections = new SmtpConnections(current.smtp);
    },
    close: () => connections.close(),
  };
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
