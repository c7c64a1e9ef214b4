import { isUtf8 } from 'node:buffer';
import { isIPv6 } from 'node:net';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import { type Actor, type Caller, EVERYBODY, STAFF } from '../../auth/caller.ts';
import { MAIL_LANGUAGES, type MailLanguage } from '../../auth/mail-texts/languages.ts';
import type { ServiceCredentials } from '../../auth/service-authentication.ts';
import { BadRequestError } from '../../system/errors.ts';
import { addressNetwork } from '../../system/networks.ts';
import { CLIENT_CLOSED_REQUEST, type RequestRecord, recordOf } from './request-record.ts';

/** Of requests to the operators' API, in the log and the audit trail. */
const OPERATORS_CHANNEL = 'operators';

const records = new WeakMap<Actor, RequestRecord>();

/**
 * The sender of a request. TRUST_PROXY decides by which address its attempts are counted.
 * @param bearer the access token, if it is not in the header
 */
export function callerOf(req: Request, bearer = bearerOf(req)): Caller {
  const record = recordOf(req);
  let gone: AbortSignal | undefined;
  const caller: Caller = {
    channel: record.channel,
    ip: countedAddress(record.ip),
    bearer,
    audience: record.channel === OPERATORS_CHANNEL ? STAFF : EVERYBODY,
    requestId: record.id,
    userAgent: req.get('User-Agent'),
    // Made on demand, like the signal: only a registration asks.
    get language() {
      return preferredLanguage(req);
    },
    timeBudget: record.timeBudget,
    // Made on demand, and once: most requests need no signal. What an act begins after its answer gets one that is aborted.
    get gone() {
      if (!gone || req.res?.destroyed) {
        gone = goneSignal(req);
      }
      return gone;
    },
  };
  records.set(caller, record);
  return caller;
}

/** Records the account of the sender for the log. */
export function recordAccount(actor: Actor, accountId: string): void {
  const record = records.get(actor);
  if (record) {
    record.accountId = accountId;
  }
}

/** A signal that is aborted if the connection closes before the answer is sent. Only the log shows the error. */
function goneSignal({ res }: Request): AbortSignal {
  const gone = new AbortController();
  const leave = () =>
    gone.abort(new BadRequestError('Client Closed Request', { status: CLIENT_CLOSED_REQUEST }));
  if (res?.destroyed) {
    leave();
  } else {
    res?.once('close', () => res.writableFinished || leave());
  }
  return gone.signal;
}

/**
 * The access token of `Authorization: Bearer <token>` (RFC 6750 section 2.1; the scheme in any case, RFC 9110 section 11.1).
 * @returns undefined if there is no such header, or more than one: a proxy may have used the other one
 */
function bearerOf(req: Request): string | undefined {
  const [authorization = '', ...others] = req.headersDistinct.authorization ?? [];
  return others.length === 0 ? /^Bearer +(\S+) *$/i.exec(authorization)?.[1] : undefined;
}

/** Browsers send less than 200. Each language in the text costs time, and a header may have thousands. */
const MAX_LANGUAGE_CHARACTERS = 500;
/** BCP 47: an undetermined language. It stands for all that `*` means, so that `*` chooses none. */
const UNDETERMINED = 'und';

/**
 * The language of mails that the sender prefers (`Accept-Language`, RFC 9110 section 12.5.4): `de` for `de-AT`.
 * @returns undefined if the header is missing, too long or malformed, or prefers other languages or any
 */
function preferredLanguage(req: Request): MailLanguage | undefined {
  if ((req.get('Accept-Language') ?? '').length > MAX_LANGUAGE_CHARACTERS) {
    return undefined;
  }
  const preferred = req.acceptsLanguages([UNDETERMINED, ...MAIL_LANGUAGES]);
  return MAIL_LANGUAGES.find((language) => language === preferred);
}

/** Some proxies add the port of the caller, which differs for each connection. */
const WITH_PORT = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/;

/**
 * The address that attempts are counted by. All spellings of an IPv4 address count as one, and so do those within NAT64. Of
 * any other IPv6 address only the /64 counts.
 * @param sent by the socket or a trusted proxy, with or without a port. A text that is no IP address is returned unchanged
 */
export function countedAddress(sent: string): string {
  const [, bracketed, dotted] = WITH_PORT.exec(sent) ?? [];
  const address = bracketed ?? dotted ?? sent;
  if (!isIPv6(address)) {
    return address;
  }
  // Without the zone of a link-local address, and all in hexadecimal: ipaddr.js does not read every form with a dotted end.
  const [withoutZone = ''] = address.split('%');
  const { hostname } = new URL(`http://[${withoutZone}]`);
  return addressNetwork(ipaddr.IPv6.parse(hostname.slice(1, -1)));
}

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i;

/**
 * The header of a service whose `Authorization` is that of its caller. Its value has the same form. Pages cannot send it: CORS
 * does not allow it.
 */
const SERVICE_HEADER = 'x-service-authorization';

/**
 * The credentials of a service, from {@link SERVICE_HEADER} or else from `Authorization`.
 * @returns as {@link basicCredentialsOf}; undefined if the sender does not claim to be a service
 */
export function serviceCredentialsOf(req: Request): ServiceCredentials[] | undefined {
  if (req.headersDistinct[SERVICE_HEADER]) {
    return basicCredentialsOf(req, SERVICE_HEADER);
  }
  const credentials = basicCredentialsOf(req);
  return credentials.length === 0 ? undefined : credentials;
}

/**
 * The credentials of `Authorization: Basic` (RFC 7617). OAuth encodes the id and the secret like a form first (RFC 6749
 * section 2.3.1), but many clients do not, so there may be two ways to read them.
 * @returns one reading or two; none if there is no such header, more than one, or if it is malformed
 */
export function basicCredentialsOf(req: Request, header = 'authorization'): ServiceCredentials[] {
  const [authorization = '', ...others] = req.headersDistinct[header] ?? [];
  const [, encoded] = BASIC.exec(authorization) ?? [];
  if (others.length > 0 || encoded === undefined) {
    return [];
  }
  const text = decoded64(encoded);
  const colon = text.indexOf(':');
  if (colon < 0) {
    return [];
  }
  const plain = { id: text.slice(0, colon), secret: text.slice(colon + 1) };
  const decoded = { id: formDecoded(plain.id), secret: formDecoded(plain.secret) };
  const isSame = decoded.id === plain.id && decoded.secret === plain.secret;
  return isSame ? [plain] : [decoded, plain];
}

/**
 * Reads Base64 (RFC 4648 section 4) of UTF-8 text.
 * @returns an empty text for an encoding that is not the one of its bytes, without padding or with other bits at its end, and for
 *   bytes that are no UTF-8: several of them would be the same text
 */
function decoded64(encoded: string): string {
  const bytes = Buffer.from(encoded, 'base64');
  return isUtf8(bytes) && bytes.toString('base64') === encoded ? bytes.toString() : '';
}

/** A text that is not encoded in this way is returned unchanged. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
