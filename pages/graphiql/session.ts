/** Whom this page has registered or logged in, for the next operations. It is never stored. */
export interface Session {
  /** Undefined before the first registration or login, and after the account is deleted. */
  person?: { email: string; password: string } | undefined;
  /** The latest access token, until it is revoked. */
  token?: string | undefined;
  /** The ids of other access tokens of the person, the newest last. */
  otherTokens: string[];
  /** True if operations send the token. */
  sendsToken: boolean;
  /** Six letters and digits that no account has, for the next registration. */
  unique: string;
}

const newUnique = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => (byte % 36).toString(36)).join('');

export const newSession = (): Session => ({ otherTokens: [], sendsToken: false, unique: newUnique() });

/** An operation that was answered. */
export interface Exchange {
  variables: { id?: unknown; input?: Record<string, unknown> } | undefined;
  /** The access token that the operation sent, if any. */
  sentToken: string | undefined;
  data: Record<string, unknown> | null | undefined;
}

/** The id of an access token: `<id>|<secret>`. */
export const tokenId = (token: string): string => token.slice(0, token.indexOf('|'));

/** Follows an operation: keeps a new token, and forgets a revoked one. */
export function follow(session: Session, { variables, sentToken, data }: Exchange): Session {
  const issued = Object.values(data ?? {}).find(hasToken);
  const { input = {}, id } = variables ?? {};
  if (issued) {
    return withToken(session, issued.token, input);
  }
  if (data?.logout || data?.deleteMyAccount) {
    return data.logout && sentToken !== session.token
      ? session
      : withoutToken(session, !data.deleteMyAccount);
  }
  if (data?.revokeToken) {
    return withoutTokenId(session, id);
  }
  if (data?.changePassword && session.person) {
    const person = { ...session.person, password: String(input.newPassword) };
    return { ...session, person, otherTokens: [], unique: newUnique() };
  }
  if (typeof data?.revokeOtherTokens === 'number') {
    return { ...session, otherTokens: [] };
  }
  return Array.isArray(data?.myTokens) ? { ...session, otherTokens: idsOfOthers(data.myTokens) } : session;
}

const hasToken = (field: unknown): field is { token: string } =>
  typeof (field as { token?: unknown } | null)?.token === 'string';

function withToken(session: Session, token: string, input: Record<string, unknown>): Session {
  const person = { email: String(input.email), password: String(input.password) };
  const isSamePerson = person.email === session.person?.email;
  const replaced = session.token === undefined ? [] : [tokenId(session.token)];
  return {
    person,
    token,
    otherTokens: isSamePerson ? [...session.otherTokens, ...replaced] : [],
    sendsToken: true,
    unique: newUnique(),
  };
}

const withoutToken = (session: Session, hasAccount = true): Session => ({
  ...session,
  person: hasAccount ? session.person : undefined,
  token: undefined,
  sendsToken: false,
});

function withoutTokenId(session: Session, id: unknown): Session {
  const otherTokens = session.otherTokens.filter((other) => other !== id);
  const isLatest = session.token !== undefined && tokenId(session.token) === id;
  return isLatest ? { ...withoutToken(session), otherTokens } : { ...session, otherTokens };
}

const idsOfOthers = (tokens: { id?: unknown; current?: unknown }[]): string[] =>
  tokens.filter(({ current }) => current === false).map(({ id }) => String(id));
