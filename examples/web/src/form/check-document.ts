import type { BrokenRule } from '@auth-gateway/client';

/** The types that the gateway takes, by the end of the name. It also checks the content. */
const TYPES = ['pdf', 'jpg', 'jpeg', 'png', 'webp', 'heic', 'tif', 'tiff', 'doc', 'docx'];
const MAX_KIBIBYTES = 10_240;

/** The file types that a file dialog offers first. */
export const ACCEPT = TYPES.map((type) => `.${type}`).join(',');

/** What the gateway would refuse in a document, known before it is sent: so nobody waits for the upload. */
export function checkDocument(file: File | null): BrokenRule | undefined {
  if (!file) {
    return undefined;
  }
  const type = /\.(\w+)$/.exec(file.name)?.[1]?.toLowerCase() ?? '';
  if (!TYPES.includes(type) || file.size === 0) {
    return { rule: 'file_type', limit: TYPES };
  }
  return file.size > MAX_KIBIBYTES * 1_024 ? { rule: 'max_size', limit: MAX_KIBIBYTES } : undefined;
}
