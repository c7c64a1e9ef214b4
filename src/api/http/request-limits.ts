/** How long the sender of a request may take. Uploads have their own settings. */
export interface RequestDeadlines {
  /** From the connection, or the first byte of a later request, to the end of the headers. KEEP_ALIVE_SECONDS comes before that byte. */
  headersMillis: number;
  /** For a body without documents. */
  jsonBodyMillis: number;
  /** How long a connection may be silent, in addition to the time that the sender of a body may stall. */
  idleMillis: number;
  /** How often Node looks for connections that have exceeded a deadline. */
  checkIntervalMillis: number;
}

/** Far longer than a phone with a weak signal needs, and short enough that held connections do not add up. */
export const REQUEST_DEADLINES: RequestDeadlines = {
  headersMillis: 10_000,
  jsonBodyMillis: 15_000,
  idleMillis: 10_000,
  checkIntervalMillis: 2_000,
};

/** How long a sender may continue to send a body that is dropped. */
export const LINGER_MILLIS = 5_000;

/** More than any request without documents needs. A text field of a doctor's form has the same limit. */
export const MAX_BODY_BYTES = 102_400;

/**
 * In how small pieces a body may arrive. A body has a credit: each piece uses up some of it, and its own bytes restore it. So 2,000
 * pieces of one byte are allowed, and any number of pieces of 64 bytes; the smallest packets of the internet carry 536 (RFC 9293
 * section 3.7.1).
 */
export const PIECE_LIMITS = {
  /** At the beginning, and the most that a body can have. */
  creditBytes: 128_000,
  costBytes: 64,
};

/** The most that a form may have. */
export interface FormLimits {
  maxFiles: number;
  maxFields: number;
  /** The maximum size of a text. */
  maxFieldBytes: number;
}

/** Twice the documents of a doctor, and more texts than any registration has. */
export const FORM_LIMITS: FormLimits = {
  maxFiles: 6,
  maxFields: 32,
  maxFieldBytes: MAX_BODY_BYTES,
};

/** Bounds of a multipart request, enforced while it comes in. */
export interface UploadLimits extends FormLimits {
  /** The maximum size of the whole body: three files and the texts. */
  maxBodyBytes: number;
  /** The maximum size of a body without its files. */
  maxTextBytes: number;
  maxFileBytes: number;
  /** How long the whole body may take. */
  timeoutMillis: number;
  /** How long a sender may send almost nothing. */
  stallMillis: number;
}

const DOCUMENTS = 3;
const MAX_TEXT_BYTES = 1_048_576;

/** The largest body of an upload: a doctor's registration. */
export const maxBodyBytes = (maxFileBytes: number): number => DOCUMENTS * maxFileBytes + MAX_TEXT_BYTES;

interface UploadSettings {
  maxFileBytes: number;
  uploadTimeoutMillis: number;
  uploadStallMillis: number;
}

/** All limits of uploads, including those that follow from the settings. */
export const uploadLimits = ({
  maxFileBytes,
  uploadTimeoutMillis,
  uploadStallMillis,
}: UploadSettings): UploadLimits => ({
  ...FORM_LIMITS,
  maxBodyBytes: maxBodyBytes(maxFileBytes),
  maxTextBytes: MAX_TEXT_BYTES,
  maxFileBytes,
  timeoutMillis: uploadTimeoutMillis,
  stallMillis: uploadStallMillis,
});
