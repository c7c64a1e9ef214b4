import { UndeliverableError } from './smtp.ts';

/** Why a mail was not sent. */
export interface SmtpFailure {
  /** `refused`: for good. `deferred`: this mail, for now. `away`: the mail server cannot be used, by any mail. */
  kind: 'refused' | 'deferred' | 'away';
  /** For the log. It has no address, and no text that may repeat one. */
  detail: Readonly<Record<string, unknown>>;
}

/** The fields of nodemailer's errors. */
interface NodemailerFailure {
  code?: unknown;
  command?: unknown;
  response?: unknown;
  responseCode?: unknown;
  permanent?: unknown;
}

/** Failures of the connection. Their texts come from the system and from TLS. */
const OF_CONNECTION: readonly unknown[] = ['ECONNECTION', 'ESOCKET', 'ETIMEDOUT', 'EDNS', 'ETLS'];

/** RFC 5321 section 3.8: the server closes the connection, whatever the command was. */
const CLOSING = 421;

/** RFC 3463: the class, subject and detail of a status. */
const ENHANCED_STATUS = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/;

/** Judges an error of a transport. */
export function failureOf(error: unknown): SmtpFailure {
  if (error instanceof UndeliverableError) {
    return { kind: 'refused', detail: { reason: error.message } };
  }
  const failure = (typeof error === 'object' && error !== null ? error : {}) as NodemailerFailure;
  return { kind: kindOf(failure), detail: detailOf(failure, error) };
}

/**
 * Only a reply about the recipient or the content is about this mail. A refused sender or login is a wrong setting, which an
 * operator can mend within the day that mails wait.
 */
function kindOf({ code, command, responseCode, permanent }: NodemailerFailure): SmtpFailure['kind'] {
  const isOfMail =
    (code === 'EENVELOPE' && command !== 'MAIL FROM') || (code === 'EMESSAGE' && responseCode !== undefined);
  if (!isOfMail || responseCode === CLOSING) {
    return 'away';
  }
  // Without a reply, nodemailer itself refuses the address.
  return permanent === true || responseCode === undefined ? 'refused' : 'deferred';
}

function detailOf(failure: NodemailerFailure, error: unknown): SmtpFailure['detail'] {
  const { code, command, response, responseCode } = failure;
  const status = typeof response === 'string' ? ENHANCED_STATUS.exec(response)?.[1] : undefined;
  const isOfConnection = response === undefined && OF_CONNECTION.includes(code);
  const reason = isOfConnection && error instanceof Error ? error.message : undefined;
  return { code, command, responseCode, status, reason };
}
