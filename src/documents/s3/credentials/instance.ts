import { askSuccessfully, credentialsInJson } from './ask.ts';
import type { CredentialSource } from './aws-credentials.ts';

const WHAT = 'the metadata service of the machine';
const ROLES = '/latest/meta-data/iam/security-credentials/';
const TOKEN_SECONDS = '21600';

/**
 * The role of a machine (EC2), by version 2 of its metadata service.
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html
 */
export const fromInstance: CredentialSource = async ({ metadataEndpoint }) => {
  if (metadataEndpoint === undefined) {
    return undefined;
  }
  const token = await askSuccessfully(WHAT, `${metadataEndpoint}/latest/api/token`, {
    method: 'PUT',
    headers: { 'X-aws-ec2-metadata-token-ttl-seconds': TOKEN_SECONDS },
  });
  const headers = { 'X-aws-ec2-metadata-token': token };
  const [role = ''] = (await askSuccessfully(WHAT, `${metadataEndpoint}${ROLES}`, { headers })).split('\n');
  const address = `${metadataEndpoint}${ROLES}${encodeURIComponent(role.trim())}`;
  return credentialsInJson(WHAT, await askSuccessfully(WHAT, address, { headers }));
};
