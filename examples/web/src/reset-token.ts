/** The address in the mail: PASSWORD_RESET_URL of the gateway is this page with `#/reset?token={token}`. */
const LINK = /^#\/reset\?token=([^&]+)$/;

let token = '';

/**
 * Takes the token of a reset link out of the address, so that neither the address bar nor the history has it. The part after
 * the `#` is never sent to a server, and in no `Referer`. Call it before a view is shown.
 */
export function takeResetToken(): void {
  const [, encoded] = LINK.exec(location.hash) ?? [];
  if (encoded !== undefined) {
    token = decoded(encoded);
    history.replaceState(null, '', '#/reset');
  }
}

/** The token of the link that opened the page; empty if there was none. It is given once. */
export function givenResetToken(): string {
  const given = token;
  token = '';
  return given;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
