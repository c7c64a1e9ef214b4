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
export type CredentialSource = (
  environment: AwsEnvironment,
  region: string,
) => Promise<AwsCredentials | undefined>;

/** A key of the settings, or where to look for one. */
export type CredentialSettings =
  | Pick<AwsCredentials, 'accessKeyId' | 'secretAccessKey'>
  | { aws: AwsEnvironment };
