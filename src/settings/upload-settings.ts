import type { UploadRoomLimits } from '../http/upload-room.ts';
import { maxBodyBytes } from '../http/uploads.ts';
import type { SettingsReader } from './settings-reader.ts';

/** Of uploads as large as may be; most are much smaller. */
const LARGEST_PER_ADDRESS = 10;
const LARGEST_IN_ALL = 130;
const MOST_UPLOADS = 100_000;

/**
 * How much may be uploaded at a time. Hospitals register many doctors from one address, so that has room for more than
 * one person ever needs; the disk has room for the rest.
 * @param maxFileBytes of which the room for bytes is a multiple, unless it is set
 */
export function readUploadRoom(read: SettingsReader, maxFileBytes: number): UploadRoomLimits {
  const largest = maxBodyBytes(maxFileBytes);
  const uploads = (key: string, fallback: number) =>
    read.integer(key, { min: 1, max: MOST_UPLOADS, fallback });
  // With less room than the largest body takes, that one could never be uploaded.
  const bytes = (key: string, times: number) =>
    read.integer(key, { min: largest, max: Number.MAX_SAFE_INTEGER, fallback: times * largest });
  return {
    all: { uploads: uploads('MAX_UPLOADS', 300), bytes: bytes('MAX_UPLOAD_BYTES', LARGEST_IN_ALL) },
    perAddress: {
      uploads: uploads('MAX_ADDRESS_UPLOADS', 30),
      bytes: bytes('MAX_ADDRESS_UPLOAD_BYTES', LARGEST_PER_ADDRESS),
    },
  };
}
