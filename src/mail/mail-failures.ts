import type { ClaimedMessage } from '../stores/messages.ts';
import type { Logger } from '../system/log.ts';
import { senderOf } from '../system/networks.ts';
import { UndeliverableError } from './message.ts';
import { NoConnectionError } from './smtp.ts';

/** Why a mail was not sent. */
export interface SmtpFailure {
  /**
   * `refused`: for good. `deferred`: this mail, for now. `broken`: the exchange about this mail got no answer, or a 421. Whether
   * the mail or the server is the reason is not known. `unavailable`: the mail server cannot be used, by any mail.
   */
  kind: 'refused' | 'deferred' | 'broken' | 'unavailable';
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
  if (error instanceof NoConnectionError) {
    return { kind: 'unavailable', detail: detailOf(error.cause) };
  }
  return { kind: kindOf(asFailure(error)), detail: detailOf(error) };
}

const asFailure = (error: unknown): NodemailerFailure =>
  typeof error === 'object' && error !== null ? error : {};

/**
 * A refused sender is a wrong setting, which an operator can correct within the day that mails wait. Everything after it belongs
 * to one mail: a server may look the recipient up before it answers, or drop the connection because of it.
 */
function kindOf({ code, command, responseCode, permanent }: NodemailerFailure): SmtpFailure['kind'] {
  if (responseCode === CLOSING) {
    return 'broken';
  }
  if (code === 'EENVELOPE' && command === 'MAIL FROM') {
    return 'unavailable';
  }
  const isOfMail = code === 'EENVELOPE' || (code === 'EMESSAGE' && responseCode !== undefined);
  if (!isOfMail) {
    return 'broken';
  }
  // Without a reply, nodemailer itself refuses the address.
  return permanent === true || responseCode === undefined ? 'refused' : 'deferred';
}

function detailOf(error: unknown): SmtpFailure['detail'] {
  const { code, command, response, responseCode } = asFailure(error);
  const status = typeof response === 'string' ? ENHANCED_STATUS.exec(response)?.[1] : undefined;
  const isOfConnection = response === undefined && OF_CONNECTION.includes(code);
  const reason = isOfConnection && error instanceof Error ? error.message : undefined;
  return { code, command, responseCode, status, reason };
}

type FailedMessage = Pick<ClaimedMessage, 'id' | 'orderedFrom'>;

/**
 * Whether mails can be sent, as far as the last ones have shown. A server that cannot be reached holds up all mails. One
 * exchange that broke says nothing about the server: it may have dropped the connection because of the recipient. If a message
 * of another sender breaks next, before any mail was answered, the server is the reason. Of one sender any number may break:
 * it can order mails to addresses at which exchanges break.
 */
export class MailServerState {
  #isUnavailable = false;
  #firstBroken: FailedMessage | undefined;

  constructor(private readonly log: Logger) {}

  /** True from the first mail that could not be sent until the first that was answered. */
  get isUnavailable(): boolean {
    return this.#isUnavailable;
  }

  /** Learns that the server has answered about a mail, for good or ill. */
  noteAnswer(): void {
    if (this.#isUnavailable) {
      this.log.info('the mail server can be used again');
    }
    this.#isUnavailable = false;
    this.#firstBroken = undefined;
  }

  /**
   * Learns why a mail was not sent.
   * @returns true if all mails must rest
   */
  noteFailure(message: FailedMessage, { kind, detail }: SmtpFailure): boolean {
    if (kind === 'refused' || kind === 'deferred') {
      this.noteAnswer();
      return false;
    }
    const first = this.#firstBroken ?? message;
    if (kind === 'broken' && isOfSameSender(first, message)) {
      this.#firstBroken = first;
      return false;
    }
    this.#firstBroken = undefined;
    // Once for each time that the server is unavailable, not for each mail.
    if (!this.#isUnavailable) {
      this.log.warn(detail, 'the mail server cannot be used: mails wait');
    }
    this.#isUnavailable = true;
    return true;
  }
}

/** One message may have had two senders: the later one has replaced the message of the first. */
const isOfSameSender = (one: FailedMessage, other: FailedMessage): boolean =>
  one.id === other.id || senderOf(one.orderedFrom) === senderOf(other.orderedFrom);
