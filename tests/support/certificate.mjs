import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const YEAR_MILLIS = 365 * 86_400_000;

/** One element of DER (X.690): its tag, its length, its content. */
function der(tag, ...contents) {
  const content = Buffer.concat(contents);
  const bytes = content.length < 0x80 ? 0 : content.length < 0x100 ? 1 : 2;
  const length = Buffer.alloc(1 + bytes, bytes === 0 ? content.length : 0x80 + bytes);
  if (bytes > 0) {
    length.writeUIntBE(content.length, 1, bytes);
  }
  return Buffer.concat([Buffer.of(tag), length, content]);
}

const sequence = (...contents) => der(0x30, ...contents);
const bits = (content) => der(0x03, Buffer.of(0), content);
const oid = (hex) => der(0x06, Buffer.from(hex, 'hex'));
const time = (date) => der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`));

const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'));
const COMMON_NAME = '550403';
const SUBJECT_ALT_NAME = '551d11';

/**
 * Makes a self-signed certificate (RFC 5280 section 4.1), which Node.js can read but not make.
 * @param address the one IPv4 address that it is for
 */
export function selfSigned(address) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(0x31, sequence(oid(COMMON_NAME), der(0x0c, Buffer.from(address)))));
  const now = Date.now();
  const tbs = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1), randomBytes(8)),
    ECDSA_WITH_SHA256,
    name,
    sequence(time(new Date(now - YEAR_MILLIS)), time(new Date(now + YEAR_MILLIS))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      sequence(
        sequence(
          oid(SUBJECT_ALT_NAME),
          der(0x04, sequence(der(0x87, Buffer.from(address.split('.').map(Number))))),
        ),
      ),
    ),
  );
  const signature = sign('sha256', tbs, privateKey);
  const cert = sequence(tbs, ECDSA_WITH_SHA256, bits(signature)).toString('base64');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${cert.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
