import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32, deflateSync } from 'node:zlib';

/** A folder for brand files, of this test file. The system removes it. */
export const brandFolder = mkdtempSync(path.join(tmpdir(), 'auth-gateway-brand-'));

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** A grey picture that browsers can draw. */
export function png(width = 64, height = 32): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const lines = deflateSync(Buffer.alloc(Math.min((width + 1) * height, 100_000), 0));
  const start = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([start, chunk('IHDR', header), chunk('IDAT', lines), chunk('IEND', Buffer.alloc(0))]);
}

/** Every key of a brand. The name is hostile to HTML and to a header of a mail. */
export const BRAND = {
  name: 'Praxis <b>"Süd" & Co</b>, x@evil.example:',
  contact: "o'neil&{host}@clinic.example",
  imprint: 'https://clinic.example/imprint?lang=en&page=1',
  privacy: 'https://clinic.example/privacy#top',
  accent: '#ffd400',
  picture: 'logo.png',
};

/** Writes a brand file. @returns the setting for it */
export function brandSetting(brand: unknown = BRAND, name = 'brand.json') {
  const file = path.join(brandFolder, name);
  writeFileSync(path.join(brandFolder, 'logo.png'), png());
  writeFileSync(file, typeof brand === 'string' ? brand : JSON.stringify(brand));
  return { BRAND_FILE: file };
}
