import { type Session, tokenId } from './session.ts';

/**
 * Fills in example variables.
 * @param template JSON with names such as `{{unique}}` in its texts (`schema/example-variables.json`)
 * @param session the latest person and token: the person of the last registration is the one to log in next
 */
export function fillExample(template: string, { unique, person, token, otherTokens }: Session): string {
  const values: Readonly<Record<string, string>> = {
    unique,
    email: person?.email ?? `sam-${unique}@example.org`,
    password: person?.password ?? 'correct horse battery',
    // Rather another token than the one in use.
    tokenId: otherTokens.at(-1) ?? (token === undefined ? '' : tokenId(token)),
  };
  return template.replaceAll(/\{\{(\w+)\}\}/g, (text, name) =>
    JSON.stringify(values[name] ?? text).slice(1, -1),
  );
}
