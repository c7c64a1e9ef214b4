import { UNRESTRICTED } from '../../auth/tokens/abilities.ts';
import type { FoundToken } from '../../auth/tokens/access-tokens.ts';

/**
 * The abilities of a token as a scope: separated by blanks. An ability that a scope cannot have is left out, so the scope
 * never grants more than the abilities.
 */
export const scopeOf = ({ token: { abilities } }: FoundToken): string =>
  abilities ? abilities.filter(isScopeToken).join(' ') : UNRESTRICTED;

/** A scope token (RFC 6749 section 3.3). Such a text is also safe in a header. */
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

export const isScopeToken = (text: string): boolean => SCOPE_TOKEN.test(text);
