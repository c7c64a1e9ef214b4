/** Starts a real S3 server (s3rver) on loopback with one bucket, `documents`. */
export function startS3Server(): Promise<{ endpoint: string; directory: string; stop(): Promise<void> }>;
