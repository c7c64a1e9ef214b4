import { strictTransportSecurity } from '../../../api/http/browsers.ts';
import { error, type Finding, note, ok, warning } from '../finding.ts';
import type { Answer } from './answer.ts';

const MILLIS_OF_A_DAY = 86_400_000;
/** Certificates that renew themselves do so a month before their end (Let's Encrypt, by its recommendation). */
const SOON_DAYS = 14;

/** What callers meet at BASE_URL. */
interface Front {
  baseUrl: string;
  answer: Pick<Answer, 'tls' | 'headers'>;
  /** In milliseconds since the epoch. */
  now: number;
  /** True if the answer came from a gateway or from the doctor in its place. */
  isFromHere: boolean;
}

/** The certificate of BASE_URL, and whether browsers are told to insist on https. */
export function* tlsFindings({ baseUrl, answer, now, isFromHere }: Front): Generator<Finding> {
  if (answer.tls) {
    yield judgeCertificate(answer.tls, now);
    yield judgeStrictness(baseUrl, answer.headers['strict-transport-security'], isFromHere);
  }
}

function judgeCertificate(
  { certificate, refusal, protocol }: NonNullable<Answer['tls']>,
  now: number,
): Finding {
  const end = Date.parse(certificate.valid_to);
  const date = Number.isNaN(end) ? 'an unknown day' : new Date(end).toISOString().slice(0, 10);
  if (end <= now) {
    return error(`The certificate of BASE_URL has expired on ${date}.`, 'Renew it, and see why nothing did.');
  }
  if (refusal !== undefined) {
    const todo =
      'Give the proxy a certificate for this name with its whole chain. For a private authority: NODE_EXTRA_CA_CERTS.';
    return error(`Callers refuse the certificate of BASE_URL: ${refusal}.`, todo);
  }
  const days = Math.floor((end - now) / MILLIS_OF_A_DAY);
  return days < SOON_DAYS
    ? warning(
        `The certificate of BASE_URL ends in ${days} days, on ${date}.`,
        'Renew it, and see why nothing did.',
      )
    : ok(`The certificate of BASE_URL is valid for ${days} more days (${protocol ?? 'TLS'}).`);
}

function judgeStrictness(baseUrl: string, header: string | undefined, isFromHere: boolean): Finding {
  if (header === strictTransportSecurity(baseUrl)) {
    return ok('Browsers are told to insist on https (HSTS).');
  }
  if (header !== undefined) {
    return note(`Something in front of the gateway replaces its HSTS header: ${header.slice(0, 100)}`);
  }
  return isFromHere
    ? warning(
        'The HSTS header of the gateway does not reach callers.',
        'Let the proxy pass Strict-Transport-Security on.',
      )
    : note('Whether browsers are told to insist on https (HSTS) is not known: the gateway did not answer.');
}
