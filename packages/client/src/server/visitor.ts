/** How a program finds the address of a visitor. @returns undefined if it cannot */
export type AddressOf = (request: Request) => string | undefined;

/** IPv4 or IPv6. The gateway reads it again, so this only keeps out what is no address at all. */
const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|(?=[^:]*:[^:]*:)[0-9a-f:.]{2,45})$/i;

/** Some proxies add the port of the visitor. The gateway reads the same form (`countedAddress`). */
const WITH_PORT = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/;

/**
 * The visitor's address as the proxies in front of this program have written it: the last entry of `X-Forwarded-For`, or with
 * more proxies an earlier one. What stands before that came from the visitor, who can write anything there.
 * @param proxies how many proxies of yours add to the header
 * @throws TypeError unless it is a whole number from 1: any other would take what the visitor has written
 */
export function forwardedFor(proxies = 1): AddressOf {
  if (!Number.isSafeInteger(proxies) || proxies < 1) {
    throw new TypeError('forwardedFor needs the number of your proxies, from 1.');
  }
  return ({ headers }) => {
    const entries = (headers.get('x-forwarded-for') ?? '').split(',').map((entry) => entry.trim());
    return entries.at(-proxies) || undefined;
  };
}

/**
 * The headers by which the gateway knows the visitor: limits of failed logins and known devices belong to the visitor, not to
 * this program.
 * @throws Error if there is no address
 */
export function visitorHeaders(request: Request, addressOf: AddressOf): Record<string, string> {
  const found = addressOf(request) ?? '';
  const [, bracketed, dotted] = WITH_PORT.exec(found) ?? [];
  const address = bracketed ?? dotted ?? found;
  if (!ADDRESS.test(address)) {
    throw new Error(
      'The option "address" found no IP address of the visitor. Without it, all visitors would share one limit of failed logins.',
    );
  }
  const [userAgent, languages] = [request.headers.get('user-agent'), request.headers.get('accept-language')];
  return {
    'X-Forwarded-For': address,
    ...(userAgent !== null && { 'User-Agent': userAgent }),
    ...(languages !== null && { 'Accept-Language': languages }),
  };
}
