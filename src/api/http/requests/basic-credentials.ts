import { isUtf8 } from 'node:buffer';
import type { Request } from 'express';
import type { ServiceCredentials } from '../../../auth/service-authentication.ts';

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
