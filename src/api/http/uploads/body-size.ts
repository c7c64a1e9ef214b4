const KIBIBYTE = 1024;
const DOCUMENTS = 3;

/** The largest body without its files. */
export const MAX_TEXT_BYTES = KIBIBYTE * KIBIBYTE;

/** The largest body of an upload: a doctor's registration. */
export const maxBodyBytes = (maxFileBytes: number): number => DOCUMENTS * maxFileBytes + MAX_TEXT_BYTES;
