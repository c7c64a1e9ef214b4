import { readFile } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { textOf } from './s3-http.ts';
import { elementOf } from './xml.ts';

/** What requests are signed with. */
export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  /** Temporary credentials have one. */
  sessionToken: string | undefined;
  /** When they expire, in milliseconds since the epoch; undefined if they do not. */
  expiresAt: number | undefined;
}

/** The variables of Amazon's programs. An unset one is undefined. */
export interface AwsEnvironment {
  accessKeyId: string | undefined;
  secretAccessKey: string | undefined;
  sessionToken: string | undefined;
  profile: string | undefined;
  /** The file of shared credentials, `~/.aws/credentials` by default. */
  sharedFile: string;
  /** A role for the bearer of a token, as Kubernetes mounts it (EKS, IRSA). */
  roleArn: string | undefined;
  roleSessionName: string | undefined;
  webIdentityTokenFile: string | undefined;
  /** The token service; undefined for Amazon's of the region. */
  stsEndpoint: string | undefined;
  /** The endpoint of a container (ECS, EKS Pod Identity). */
  containerUri: string | undefined;
  containerToken: string | undefined;
  containerTokenFile: string | undefined;
  /** The metadata of a machine (EC2); undefined if they must not be asked. */
  metadataEndpoint: string | undefined;
}

/** Where credentials may come from. Undefined: nothing is set up there. */
type CredentialSource = (environment: AwsEnvironment, region: string) => Promise<AwsCredentials | undefined>;

/**
 * Looks for credentials in the places where Amazon's programs look, in their order.
 * @throws Error if none has any, or if the first that is set up cannot be used
 */
export async function findCredentials(environment: AwsEnvironment, region: string): Promise<AwsCredentials> {
  const sources = [fromEnvironment, fromSharedFile, fromWebIdentity, fromContainer, fromInstance];
  for (const source of sources) {
    const found = await source(environment, region);
    if (found) {
      return found;
    }
  }
  throw new Error('there are no credentials for S3: neither S3_ACCESS_KEY_ID nor a role of this machine');
}

const fromEnvironment: CredentialSource = async (environment) => {
  const { accessKeyId, secretAccessKey, sessionToken, profile } = environment;
  if (profile !== undefined || accessKeyId === undefined || secretAccessKey === undefined) {
    return undefined;
  }
  return { accessKeyId, secretAccessKey, sessionToken, expiresAt: undefined };
};

/**
 * The access key of a profile in the shared credentials file. Roles, single sign-on and credential processes of a profile are
 * not supported.
 * https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html
 */
const fromSharedFile: CredentialSource = async ({ profile, sharedFile }) => {
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

const TOKEN_SERVICE = 'the token service of Amazon (STS)';

/**
 * A role for the bearer of a token that the platform renews in a file, such as the service account of a pod in EKS.
 * https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html
 */
const fromWebIdentity: CredentialSource = async (environment, region) => {
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
  const xml = await ask(TOKEN_SERVICE, address, { method: 'POST', body });
  const names = ['AccessKeyId', 'SecretAccessKey', 'SessionToken', 'Expiration'];
  return checked(
    TOKEN_SERVICE,
    names.map((name) => elementOf(xml, name)),
  );
};

/** Amazon's domain for a region. */
export const domainOf = (region: string): string =>
  region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';

const CONTAINER = 'the credentials endpoint of the container';

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
const fromContainer: CredentialSource = async (environment) => {
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
  return credentialsInJson(CONTAINER, await ask(CONTAINER, url, { headers }));
};

/** Without TLS, the credentials must not leave the machine. */
const isTrusted = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || PLAIN_HOSTS.has(hostname) || (isIPv4(hostname) && hostname.startsWith('127.'));

const MACHINE = 'the metadata service of the machine';
const ROLES = '/latest/meta-data/iam/security-credentials/';
const TOKEN_SECONDS = '21600';

/**
 * The role of a machine (EC2), by version 2 of its metadata service.
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html
 */
const fromInstance: CredentialSource = async ({ metadataEndpoint }) => {
  if (metadataEndpoint === undefined) {
    return undefined;
  }
  const token = await ask(MACHINE, `${metadataEndpoint}/latest/api/token`, {
    method: 'PUT',
    headers: { 'X-aws-ec2-metadata-token-ttl-seconds': TOKEN_SECONDS },
  });
  const headers = { 'X-aws-ec2-metadata-token': token };
  const [role = ''] = (await ask(MACHINE, `${metadataEndpoint}${ROLES}`, { headers })).split('\n');
  const address = `${metadataEndpoint}${ROLES}${encodeURIComponent(role.trim())}`;
  return credentialsInJson(MACHINE, await ask(MACHINE, address, { headers }));
};

/** A request for a document waits for this, too. */
const ASK_MILLIS = 2_000;
const MAX_ANSWER_BYTES = 65_536;

/**
 * Asks a service that has credentials.
 * @param what the service, for the text of an error
 * @returns the text of its answer
 * @throws Error if it has refused or cannot be asked; without any part of the request or of the answer, which are secrets
 */
async function ask(what: string, url: string | URL, init: RequestInit): Promise<string> {
  const { status, text } = await answerTo(requestTo(what, url, init)).catch((error: unknown) => {
    throw new Error(`${what} cannot be asked for credentials`, { cause: error });
  });
  if (status !== 200) {
    throw new Error(`${what} answered ${status} when asked for credentials`);
  }
  return text;
}

function requestTo(what: string, url: string | URL, init: RequestInit): Request {
  try {
    return new Request(url, { ...init, signal: AbortSignal.timeout(ASK_MILLIS), redirect: 'error' });
  } catch {
    // The cause would quote the token, or the address with a password in it.
    throw new Error(`${what} cannot be asked for credentials: its address or token cannot be sent`);
  }
}

async function answerTo(request: Request): Promise<{ status: number; text: string }> {
  const response = await fetch(request);
  const body = response.body ? Readable.fromWeb(response.body as ReadableStream) : Readable.from([]);
  return { status: response.status, text: await textOf(body, MAX_ANSWER_BYTES) };
}

/** Reads the JSON in which containers and machines get credentials. @throws Error if it is something else */
function credentialsInJson(what: string, json: string): AwsCredentials {
  let sent: Record<string, unknown>;
  try {
    sent = Object(JSON.parse(json));
  } catch {
    sent = {};
  }
  return checked(what, [sent.AccessKeyId, sent.SecretAccessKey, sent.Token, sent.Expiration]);
}

/** @throws Error unless all four parts of temporary credentials are there */
function checked(what: string, parts: unknown[]): AwsCredentials {
  const [accessKeyId, secretAccessKey, sessionToken, expiration] = parts.map((part) =>
    typeof part === 'string' && part !== '' ? part : undefined,
  );
  const expiresAt = Date.parse(expiration ?? '');
  if (!accessKeyId || !secretAccessKey || !sessionToken || Number.isNaN(expiresAt)) {
    throw new Error(`${what} has answered without credentials`);
  }
  return { accessKeyId, secretAccessKey, sessionToken, expiresAt };
}
