/** PATH, and the folder of Debian's servers, which only the PATH of root contains. */
export const SEARCH_PATH: string;

/** True if a program is in one of the folders of SEARCH_PATH. */
export function isInstalled(program: string): boolean;
