import { head } from './requests.js';

/** The boundary of the forms. */
export const BOUNDARY = 'bench-boundary';

/** A PDF of this size, as far as the gateway checks it. */
export const pdfOf = (bytes) => Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(bytes - 9)]);

export const textPart = (name, value) =>
  Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);

export const filePart = (name, document) => [
  Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="a.pdf"\r\n\r\n`),
  document,
  Buffer.from('\r\n'),
];

export const END = Buffer.from(`--${BOUNDARY}--\r\n`);

/** The fields of a doctor's registration that have the same name in both APIs. */
export const doctorOf = (email) => ({
  name: 'Dr. Bench',
  email,
  phone: '1',
  password: 'correct horse',
  specialization: 'x',
});

/** The body of a registration through the REST API, in parts. */
export function restForm(email, document) {
  const texts = Object.entries({ ...doctorOf(email), license_number: '1' });
  const files = ['license_file', 'diploma_file', 'certification_file'];
  return [
    ...texts.map(([name, value]) => textPart(name, value)),
    ...files.flatMap((name) => filePart(name, document)),
    END,
  ];
}

export const formHeaders = (parts) => ({
  'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
  'Content-Length': parts.reduce((sum, part) => sum + part.length, 0),
});

/** A registration through the REST API with this document three times, as parts of a request. */
export function registrationRequest(email, document) {
  const parts = restForm(email, document);
  return [head('/api/v1/auth/register/doctor', formHeaders(parts)), ...parts];
}
