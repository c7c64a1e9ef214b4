import type { Config } from '../../config/config.ts';
import type { CredentialSettings } from '../../documents/s3/credentials.ts';

/** Shorter ones would blank out common words. The texts of findings never contain a secret on purpose. */
const MIN_CHARACTERS = 4;

/**
 * The last line of defence: errors of drivers and servers may repeat a password.
 * @returns a function that replaces all secrets of the settings in a text
 */
export function hidingSecrets(config: Config | undefined): (text: string) => string {
  const secrets = (config ? secretsOf(config) : [])
    .filter((secret) => secret.length >= MIN_CHARACTERS)
    .sort((one, other) => other.length - one.length);
  return (text) => secrets.reduce((hidden, secret) => hidden.replaceAll(secret, '[secret]'), text);
}

function secretsOf({ database, mail, s3, documentSigning, legacy, fileSecrets }: Config): string[] {
  return [
    ...(database.kind === 'mongodb' ? secretsOfUrl(database.uri) : []),
    ...secretsOfUrl(legacy.databaseUrl ?? ''),
    ...inBothForms(mail?.smtp.credentials?.pass),
    ...(s3 ? secretsOfS3(s3.credentials) : []),
    documentSigning?.secret,
    ...(documentSigning?.otherSecrets ?? []),
    ...fileSecrets.values(),
  ].filter((secret) => secret !== undefined);
}

function secretsOfS3(credentials: CredentialSettings): (string | undefined)[] {
  if (!('aws' in credentials)) {
    return [credentials.secretAccessKey];
  }
  const { secretAccessKey, sessionToken, containerToken } = credentials.aws;
  return [secretAccessKey, sessionToken, containerToken];
}

/** The password of an address, as it is written and as it is sent. */
function secretsOfUrl(url: string): string[] {
  const password = /^[^/]*\/\/[^/@]*?:([^@]*)@/.exec(url)?.[1];
  return password === undefined ? [] : [password, ...inBothForms(decoded(password))];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const inBothForms = (secret: string | undefined): string[] =>
  secret === undefined ? [] : [secret, encodeURIComponent(secret)];
