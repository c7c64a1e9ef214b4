import type { BrokenRule } from '@auth-gateway/client';
import { settings } from '../settings.ts';

const TYPES = ['pdf', 'jpg', 'jpeg', 'png', 'webp', 'heic', 'tif', 'tiff', 'doc', 'docx'];
/** How files of these types also end. */
const OTHER_ENDS = ['jpe', 'jfif', 'heif', 'hif'];

/** The file types that a file dialog offers first. */
export const ACCEPT = [...TYPES, ...OTHER_ENDS].map((type) => `.${type}`).join(',');

/**
 * What the gateway would refuse in a document, known before it is sent: so nobody waits for the upload. The gateway goes by the
 * content, so a picture may have any name, and a name may have no end.
 */
export function checkDocument(file: File | null): BrokenRule | undefined {
  if (!file) {
    return undefined;
  }
  const end = /\.(\w+)$/.exec(file.name)?.[1]?.toLowerCase();
  const isKnown = end === undefined || [...TYPES, ...OTHER_ENDS].includes(end);
  if (file.size === 0 || !(isKnown || file.type.startsWith('image/'))) {
    return { rule: 'file_type', limit: TYPES };
  }
  const { maxFileBytes } = settings;
  return file.size > maxFileBytes ? { rule: 'max_size', limit: maxFileBytes / 1_024 } : undefined;
}
