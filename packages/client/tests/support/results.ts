import { aPdf } from '../../../../tests/support/documents.ts';
import { aDoctor } from '../../../../tests/support/people.ts';
import { recordResponse } from '../../../../tests/support/response-record.ts';
import type { AuthError, Result } from '../../src/index.ts';

/** The data of a successful call. */
export function dataOf<Data>(result: Result<Data, string>): Data {
  if (!result.ok) {
    throw new Error(`${result.error.code}: ${result.error.message}`);
  }
  return result.data;
}

/** The error of a failed call. */
export function errorOf<Field extends string>(result: Result<unknown, Field>): AuthError<Field> {
  if (result.ok) {
    throw new Error(`no error, but ${JSON.stringify(result.data)}`);
  }
  return result.error;
}

/** A document as a File of a browser. */
export const aFile = (name = 'document.pdf', { bytes } = aPdf()) => new File([bytes], name);

/** The fields of a doctor with documents that a browser could send. */
export const aDoctorWithFiles = () => ({
  ...aDoctor(),
  licenseFile: aFile('license.pdf'),
  diplomaFile: aFile('diploma.pdf'),
  certificationFile: aFile('certification.pdf'),
});

/** The platform's `fetch`. Every response is searched for secrets. */
export const watchedFetch: typeof fetch = async (...request) => {
  const response = await fetch(...request);
  const { status, headers } = response;
  recordResponse({ method: 'POST', path: '/graphql', status, headers, text: await response.clone().text() });
  return response;
};
