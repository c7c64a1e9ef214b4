import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { maxBodyBytes } from '../api/http/request-limits.ts';
import type { S3Settings } from '../documents/s3/s3-document-store.ts';
import { type CapacityLimits, capacityLimits } from '../system/shared-capacity.ts';
import { isInMemory } from './database-settings.ts';
import type { SettingsReader } from './settings-reader.ts';

const STORAGE_DIR = 'storage';

/** The folder of the documents, and whether it goes with the process: so it does in memory, unless STORAGE_DIR is set. */
export function readStorageDir(read: SettingsReader): { storageDir: string; isStorageTemporary: boolean } {
  if (isInMemory(read) && read.text('STORAGE_DIR', '') === '') {
    const name = `auth-gateway-${randomUUID()}`;
    return { storageDir: path.join(tmpdir(), name), isStorageTemporary: true };
  }
  return { storageDir: path.resolve(read.text('STORAGE_DIR', STORAGE_DIR)), isStorageTemporary: false };
}

/** @returns undefined for documents on the local disk */
export function readS3(read: SettingsReader): S3Settings | undefined {
  const isS3 = read.choice('DOCUMENT_STORE', ['local', 's3'], 'local') === 's3';
  const accessKeyId = read.secret('S3_ACCESS_KEY_ID');
  const secretAccessKey = read.secret('S3_SECRET_ACCESS_KEY');
  const settings = {
    bucket: read.text('S3_BUCKET', ''),
    region: read.text('S3_REGION', 'us-east-1'),
    endpoint: read.httpUrl('S3_ENDPOINT'),
    credentials: accessKeyId === '' ? undefined : { accessKeyId, secretAccessKey },
    pathStyle: read.toggle('S3_PATH_STYLE', false),
    delivery: read.choice('S3_DELIVERY', ['stream', 'redirect'], 'stream'),
  };
  if (!isS3) {
    return undefined;
  }
  if (settings.bucket === '') {
    read.problem('S3_BUCKET', 'must be set for DOCUMENT_STORE=s3');
  }
  if ((accessKeyId === '') !== (secretAccessKey === '')) {
    const [id, secret] = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;
    const [missing, present] = accessKeyId === '' ? [id, secret] : [secret, id];
    read.problem(missing, `must be set with ${present}`);
  }
  return settings;
}

/** The key for the URLs of documents, and their lifetime. */
export interface DocumentSigning {
  secret: string;
  /** URLs that other instances have signed with these are valid, too. */
  otherSecrets: readonly string[];
  lifetimeSeconds: number;
}

/** RFC 2104 section 3: a key shorter than the hash is weaker than the hash. */
const MIN_SECRET_CHARACTERS = 32;

/** A check of a URL costs one hash for each. */
const MAX_URL_SECRETS = 10;

/** @returns undefined if everyone who knows the URL of a document can read it */
export function readDocumentSigning(read: SettingsReader): DocumentSigning | undefined {
  const isSigned = read.choice('DOCUMENT_ACCESS', ['public', 'signed'], 'public') === 'signed';
  const [secret = '', ...otherSecrets] = read.secretLines('DOCUMENT_URL_SECRET');
  const lifetimeSeconds = read.integer('DOCUMENT_URL_SECONDS', { min: 1, max: 604_800, fallback: 3600 });
  if (!isSigned) {
    return undefined;
  }
  if (otherSecrets.length >= MAX_URL_SECRETS) {
    read.problem('DOCUMENT_URL_SECRET', `must have at most ${MAX_URL_SECRETS} lines`);
  }
  if ([secret, ...otherSecrets].some(({ length }) => length < MIN_SECRET_CHARACTERS)) {
    read.problem(
      'DOCUMENT_URL_SECRET',
      `must be at least ${MIN_SECRET_CHARACTERS} characters for DOCUMENT_ACCESS=signed`,
    );
  }
  return { secret, otherSecrets, lifetimeSeconds };
}

/** The default limits in bytes, as numbers of bodies of the largest size. Most bodies are much smaller. */
const DEFAULT_BODIES_PER_ADDRESS = 10;
const DEFAULT_BODIES = 130;
const MAX_UPLOADS_SETTING = 100_000;

/**
 * The limits of concurrent uploads. Hospitals register many doctors from one address, so an address has more than one person
 * needs.
 * @param maxFileBytes the default limits in bytes are multiples of the largest body with such files
 */
export function readUploadCapacity(read: SettingsReader, maxFileBytes: number): CapacityLimits {
  const largest = maxBodyBytes(maxFileBytes);
  const uploads = (key: string, fallback: number) =>
    read.integer(key, { min: 1, max: MAX_UPLOADS_SETTING, fallback });
  // With less than the largest body, that body could never be uploaded.
  const bytes = (key: string, times: number) =>
    read.integer(key, { min: largest, max: Number.MAX_SAFE_INTEGER, fallback: times * largest });
  return capacityLimits(
    { places: uploads('MAX_UPLOADS', 300), bytes: bytes('MAX_UPLOAD_BYTES', DEFAULT_BODIES) },
    {
      places: uploads('MAX_ADDRESS_UPLOADS', 30),
      bytes: bytes('MAX_ADDRESS_UPLOAD_BYTES', DEFAULT_BODIES_PER_ADDRESS),
    },
  );
}
