import { maxBodyBytes } from '../api/http/request-limits.ts';
import { type CapacityLimits, capacityLimits } from '../system/networks/shared-capacity.ts';
import type { SettingsReader } from './settings-reader.ts';

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
