import { readFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import { askSuccessfully, credentialsInJson } from './ask.ts';
import type { CredentialSource } from './aws-credentials.ts';

const WHAT = 'the credentials endpoint of the container';

/** ECS, and EKS Pod Identity. Loopback is for an agent beside the process. */
const PLAIN_HOSTS: ReadonlySet<string> = new Set([
  '169.254.170.2',
  '169.254.170.23',
  '[fd00:ec2::23]',
  '[::1]',
  'localhost',
]);

/**
 * The role of a container: ECS, Fargate, EKS Pod Identity.
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
 */
export const fromContainer: CredentialSource = async (environment) => {
  const { containerUri, containerToken, containerTokenFile } = environment;
  if (containerUri === undefined) {
    return undefined;
  }
  const url = URL.canParse(containerUri) ? new URL(containerUri) : undefined;
  if (!url || !isTrusted(url)) {
    throw new Error('AWS_CONTAINER_CREDENTIALS_FULL_URI must be an https address, or one of this machine');
  }
  const token = containerTokenFile ? (await readFile(containerTokenFile, 'utf8')).trim() : containerToken;
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: token };
  return credentialsInJson(WHAT, await askSuccessfully(WHAT, url, { headers }));
};

/** Without TLS, the credentials must not leave the machine. */
const isTrusted = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || PLAIN_HOSTS.has(hostname) || (isIPv4(hostname) && hostname.startsWith('127.'));
