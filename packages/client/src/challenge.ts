/** A challenge stands for a token. One that is stored may be another person's, or not valid any more. */
export function hasChallenge(variables: object): boolean {
  const { challenge, input } = variables as { challenge?: unknown; input?: { challenge?: unknown } | null };
  return Boolean(challenge ?? input?.challenge);
}
