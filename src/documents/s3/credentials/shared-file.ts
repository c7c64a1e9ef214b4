import { readFile } from 'node:fs/promises';
import type { CredentialSource } from './aws-credentials.ts';

/**
 * The access key of a profile in the shared credentials file. Roles, single sign-on and credential processes of a profile are
 * not supported.
 * https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html
 */
export const fromSharedFile: CredentialSource = async ({ profile, sharedFile }) => {
  const text = await readFile(sharedFile, 'utf8').catch(() => '');
  const { aws_access_key_id, aws_secret_access_key, aws_session_token } = sectionOf(
    text,
    profile ?? 'default',
  );
  if (aws_access_key_id && aws_secret_access_key) {
    return {
      accessKeyId: aws_access_key_id,
      secretAccessKey: aws_secret_access_key,
      sessionToken: aws_session_token || undefined,
      expiresAt: undefined,
    };
  }
  if (profile !== undefined) {
    throw new Error(`the profile of AWS_PROFILE has no access key in ${sharedFile}`);
  }
  return undefined;
};

/** The values of a section of an INI file by key. */
function sectionOf(text: string, name: string): Record<string, string | undefined> {
  const values: Record<string, string> = {};
  let section = '';
  for (const line of text.split(/\r?\n/)) {
    const header = /^\s*\[([^\]]+)\]/.exec(line);
    const at = line.indexOf('=');
    if (header) {
      section = String(header[1]).trim();
    } else if (section === name && at > 0) {
      values[line.slice(0, at).trim()] = line.slice(at + 1).trim();
    }
  }
  return values;
}
