import { readFile } from 'node:fs/promises';
import { domainOf } from '../s3-address.ts';
import { elementOf } from '../xml.ts';
import { askSuccessfully, checked } from './ask.ts';
import type { CredentialSource } from './aws-credentials.ts';

const WHAT = 'the token service of Amazon (STS)';

/**
 * A role for the bearer of a token that the platform renews in a file, such as the service account of a pod in EKS.
 * https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html
 */
export const fromWebIdentity: CredentialSource = async (environment, region) => {
  const { roleArn, roleSessionName = 'auth-gateway', webIdentityTokenFile, stsEndpoint } = environment;
  if (roleArn === undefined || webIdentityTokenFile === undefined) {
    return undefined;
  }
  const body = new URLSearchParams({
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: roleSessionName,
    WebIdentityToken: (await readFile(webIdentityTokenFile, 'utf8')).trim(),
  });
  const address = stsEndpoint ?? `https://sts.${region}.${domainOf(region)}`;
  const xml = await askSuccessfully(WHAT, address, { method: 'POST', body });
  const names = ['AccessKeyId', 'SecretAccessKey', 'SessionToken', 'Expiration'];
  return checked(
    WHAT,
    names.map((name) => elementOf(xml, name)),
  );
};
